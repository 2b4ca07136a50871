import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { DrawnAnswer } from '../../../src/envelope/charts/drawn-answer.ts'
import { faultPage, linkPage, pageStyleSource } from '../../../src/envelope/links/link-page.ts'

const answerOf = (count: number): DrawnAnswer => ({
  kind: 'line',
  axis: 'time',
  aggregation: 'daily',
  measure: 'Download',
  unit: 'Mbit/s',
  series: [
    {
      name: '',
      points: Array.from({ length: count }, (_, index) => ({
        label: `day ${index}`,
        value: 50,
        low: 48,
        high: 52,
        results: 9,
        agents: 3,
        isPartial: index === 0,
        caution: index === 0 ? ['few_agents'] : [],
      })),
    },
  ],
})

const page = (more: Partial<Parameters<typeof linkPage>[0]> = {}) =>
  linkPage({
    name: 'Speed',
    description: '',
    secret: 'bgq_x',
    answer: { answer: answerOf(1), facts: [], svg: null },
    ...more,
  })

it('has a row for each point, up to 200, and the number of the others', () => {
  const text = page()
  expect(text).toContain(
    '<td>day 0</td><td class="n">50.00</td><td class="n">48.00 to 52.00</td><td class="n">9</td><td class="n">3</td><td>partial, few agents</td>',
  )
  const rows = (count: number) => page({ answer: { answer: answerOf(count), facts: [], svg: null } })
  expect(rows(200).match(/<tr><td>/g)).toHaveLength(200)
  expect(rows(200)).not.toContain('more points')
  expect(rows(201).match(/<tr><td>/g)).toHaveLength(200)
  expect(rows(201)).toContain('1 more points are in the files.')
  expect(rows(0)).toContain('There are no results.')
})

it('writes every text as text, and refers to nothing but its own files', () => {
  const hostile = `<script>"'&`
  const text = page({
    name: hostile,
    description: hostile,
    answer: { answer: answerOf(1), facts: [{ name: hostile, text: hostile }], svg: `<svg>${hostile}</svg>` },
  })
  expect(text).not.toContain('<script')
  expect(text.match(/&lt;script&gt;&quot;&#39;&amp;/g)).toHaveLength(6)
  expect([...text.matchAll(/(?:src|href)="([^"]{0,12})/g)].map(([, address]) => address)).toEqual([
    'data:image/s',
    'bgq_x.csv',
    'bgq_x.json',
    'bgq_x.svg',
  ])
})

it('has exactly the style that its policy allows', () => {
  for (const text of [page(), faultPage(404, 'x'), faultPage(503, 'x')]) {
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? []
    expect(pageStyleSource).toBe(`'sha256-${hash('sha256', style, 'base64')}'`)
    expect(text).not.toMatch(/ style=| on\w+=/)
  }
})
