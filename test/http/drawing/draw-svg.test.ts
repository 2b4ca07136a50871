import { afterAll, expect, it } from 'vitest'
import type { DrawnAnswer } from '../../../src/envelope/charts/drawn-answer.ts'
import { svgDrawer } from '../../../src/http/drawing/draw-svg.ts'

const drawer = svgDrawer()
afterAll(() => drawer.close())

const answerOf = (names: readonly string[], count: number, more: Partial<DrawnAnswer> = {}): DrawnAnswer => ({
  kind: 'line',
  axis: 'time',
  aggregation: 'hourly',
  measure: 'Download',
  unit: 'Mbit/s',
  series: names.map((name, index) => ({
    name,
    points: Array.from({ length: count }, (_, hour) => ({
      label: new Date(Date.UTC(2026, 0, 1, hour)).toISOString().slice(0, 19),
      value: 50 + 20 * index + 9 * Math.sin(hour / 9),
      low: 45 + 20 * index,
      high: 60 + 20 * index,
      results: 10,
      agents: 5,
      isPartial: hour === 0,
      caution: [],
    })),
  })),
  ...more,
})

it('draws lines and bars as SVG without scripts, references and reactions to a pointer', async () => {
  const hostile = '<script>alert(1)</script>&"\u0007'
  const around = { title: hostile, facts: [{ name: 'Results', text: hostile }] }
  const line = await drawer.draw({ answer: answerOf([hostile, 'other'], 30), around })
  const bars = await drawer.draw({ answer: answerOf([hostile, 'other'], 3, { kind: 'bar' }), around: null })
  const total = await drawer.draw({
    answer: answerOf([hostile, 'a provider with a long name'], 1, { axis: 'none', aggregation: 'total' }),
    around,
  })
  for (const svg of [line, bars, total]) {
    expect(svg).toMatch(/^<svg width="960" height="\d+" xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&amp;')
    expect(svg).not.toMatch(/<script|<image|<foreignObject| on\w+=|href=|url\((?!#)|[\p{Cc}--\n]/v)
  }
  expect(line).not.toBe(total)
})

it('answers many charts that are asked for at once, each with its own', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `series ${index}`)
  const svgs = await Promise.all(names.map((name) => drawer.draw({ answer: answerOf([name, 'x'], 5), around: null })))
  expect(svgs.map((svg) => /series \d+/.exec(svg)?.[0])).toEqual(names)
})

it('refuses charts when 20 wait, and draws again later', async () => {
  const task = { answer: answerOf([''], 5), around: null }
  const all = await Promise.allSettled(Array.from({ length: 25 }, () => drawer.draw(task)))
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as object] : []))
  expect(refused).toHaveLength(4)
  expect(refused[0]).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(await drawer.draw(task)).toMatch(/^<svg/)
})

it('draws the next chart in a new thread after one that cannot be drawn', async () => {
  const broken = { ...answerOf([''], 1), series: [{ name: '', points: null }] } as unknown as DrawnAnswer
  await expect(drawer.draw({ answer: broken, around: null })).rejects.toThrow('null')
  expect(await drawer.draw({ answer: answerOf([''], 5), around: null })).toMatch(/^<svg/)
})

it('leaves the event loop free while it draws as many points as a chart may have', async () => {
  const answer = answerOf(['a', 'b', 'c', 'd', 'e'], 1_000)
  await drawer.draw({ answer, around: null })
  let [last, longest] = [performance.now(), 0]
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  const startedAt = performance.now()
  await drawer.draw({ answer, around: null })
  const took = performance.now() - startedAt
  clearInterval(timer)
  expect(longest).toBeLessThan(took / 2)
})
