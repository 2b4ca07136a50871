import { expect, it } from 'vitest'
import type { MetricSeries } from '../../../clients/typescript/src/index.ts'
import { blockChart } from '../../../src/serve/commands/data/block-chart.ts'

type Point = readonly [label: string | number, metricValue: number | null]

function series(base: string, points: readonly Point[]): MetricSeries {
  const metricData = points.map(([label, metricValue]) => ({
    base,
    ...(typeof label === 'number' ? { aggregatedNumber: label } : { dtime: label }),
    metricValue,
  }))
  return { metricData }
}

const chart = (...all: MetricSeries[]) => blockChart(all, { splits: ['base'], title: 't', unit: 'ms' })?.split('\n')

it('draws the same period in the same column, also if a series begins later or has gaps', () => {
  const days = ['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08'] as const
  expect(
    chart(
      series('late', [
        [days[2], 8],
        [days[3], 1],
      ]),
      series('gaps', [
        [days[0], 1],
        [days[1], null],
        [days[3], 8],
      ]),
      series('brief', [[days[1], 8]]),
    ),
  ).toEqual(['t: ▁ 1 to █ 8 ms', 'late     █▁', 'gaps   ▁  █', 'brief   █', ''])
})

it('sorts numeric labels as numbers, not as text', () => {
  expect(
    chart(
      series('all', [
        [2, 1],
        [9, 1],
        [10, 8],
      ]),
      series('ten', [[10, 8]]),
    ),
  ).toEqual(['t: ▁ 1 to █ 8 ms', 'all  ▁▁█', 'ten    █', ''])
})

it('gives each line its own scale if a line would be nearly flat on the common one', () => {
  const wide = series('far', [
    [1, 600],
    [2, 1000],
    [3, 800],
  ])
  expect(
    chart(
      series('near', [
        [1, 10],
        [2, 12],
        [3, 20],
      ]),
      wide,
      series('one', [[2, 30]]),
    ),
  ).toEqual([
    't: each line has its own scale',
    'near  ▁▂█  ▁ 10 to █ 20 ms',
    'far   ▁█▅  ▁ 600 to █ 1,000 ms',
    'one    ▁   ▁ 30 to █ 30 ms',
    '',
  ])
  // A line whose values are all equal is flat on any scale.
  expect(
    chart(
      series('same', [
        [1, 700],
        [2, 700],
        [3, 700],
      ]),
      wide,
    ),
  ).toEqual(['t: ▁ 600 to █ 1,000 ms', 'same  ▃▃▃', 'far   ▁█▅', ''])
})

it('styles neighbouring lines differently, and says the same without a style', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => series(name, [[1, 5]]))
  const options = { splits: ['base'], title: 't', unit: 'ms' }
  const painted = blockChart(all, { ...options, paint: (style, text) => `<${style}>${text}</>` }) ?? ''
  const styles = [...painted.matchAll(/^<(\w+)>/gm)].map(([, style]) => style)
  expect(styles).toHaveLength(6)
  expect(new Set(styles).size).toBe(5)
  expect(styles.every((style, index) => style !== styles[index - 1])).toBe(true)
  expect(painted.replaceAll(/<.*?>/g, '')).toBe(blockChart(all, options))
})

it('rounds the ends of a scale to four digits, without an exponent', () => {
  const wide = series('all', [
    [1, 0.000_123_456],
    [2, 123_456_789],
  ])
  expect(chart(wide)?.[0]).toBe('t: ▁ 0.0001235 to █ 123,500,000 ms')
})

it('draws nothing if there are no values', () => {
  expect(chart(series('none', [[1, null]]))).toBeUndefined()
})
