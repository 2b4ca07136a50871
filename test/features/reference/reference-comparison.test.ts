import { expect, it } from 'vitest'
import type { Comparison } from './model/comparison/compared.ts'
import { quantileOfTail, twoSided } from './model/comparison/student.ts'
import type { Agent } from './model/facts.ts'
import type { MetricRequest, Point } from './model/request.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

const homes = Array.from({ length: 24 }, (_, index) => agentOf(`home-${index}`, { base: index < 12 ? 'old' : 'new' }))
const home = (index: number): Agent => homes[index] ?? agentOf('none')

/** One result of each home on a day, from home `first` on. */
const day = (date: string, first: number, ...milliseconds: number[]): SmallResult[] =>
  milliseconds.map((value, index) => ({
    agent: home(first + index),
    at: `${date} 12:00:00`,
    jitter_down: value * 1000,
  }))

const [before, after] = ['2020-06-01', '2020-06-02']
const time = { from: after, to: after }

const pointsOf = (results: SmallResult[], request: Partial<MetricRequest>): Point[] =>
  ask(smallDataset('jitter', results), { time, ...request }).flatMap(({ metricData }) => metricData)

const compared = (results: SmallResult[], request: Partial<MetricRequest> = {}): Comparison | null =>
  (pointsOf(results, { compare: { previous: true }, ...request })[0]?.['comparison'] ?? null) as Comparison | null

const near = (actual: unknown, expected: number): void => expect(Number(actual) / expected).toBeCloseTo(1, 11)

it('has the closed forms of the t distribution with 1 and 2 degrees of freedom', () => {
  for (const t of [0.001, 0.5, 3, 40, 1e6]) {
    near(twoSided(t, 1), (2 / Math.PI) * Math.atan(1 / t))
    near(twoSided(t, 2), 2 / (2 + t * t + t * Math.sqrt(2 + t * t)))
    near(quantileOfTail(twoSided(t, 2.5), 2.5), t)
  }
  expect(twoSided(0, 7.3)).toBe(1)
  expect(twoSided(1.959963984540054, 1e12)).toBeCloseTo(0.05, 11)
})

it('is the paired t test if the same homes are on both sides', () => {
  // The homes change by 1, −1 and 3: the mean is 1, and the variance of the mean is 4/3.
  const found = compared([...day(before, 0, 1, 5, 6), ...day(after, 0, 2, 4, 9)])
  expect(found).toMatchObject({ base: 4, baseAgents: 3, sharedAgents: 3, difference: 1, degreesOfFreedom: 2 })
  const [error, t] = [Math.sqrt(4 / 3), quantileOfTail(0.05, 2)]
  near(found?.standardError, error)
  near(found?.low, 1 - t * error)
  near(found?.high, 1 + t * error)
  near(found?.pValue, 1 - Math.sqrt(0.75) / Math.sqrt(2.75))
  near(found?.pAdjusted, found?.pValue ?? NaN)
  expect(found).toMatchObject({ ratio: 1.25, verdict: 'not_distinguishable', better: null })
  // The logarithm of the ratio has the changes of each home relative to the mean of its side.
  const logs = [2 / 5 - 1 / 4, 4 / 5 - 5 / 4, 9 / 5 - 6 / 4]
  const width = t * Math.sqrt(logs.reduce((total, log) => total + log ** 2, 0) / 6)
  near(found?.ratioLow, 1.25 * Math.exp(-width))
  near(found?.ratioHigh, 1.25 * Math.exp(width))
})

it("is Welch's test if no home is on both sides", () => {
  const found = compared([...day(before, 12, 1, 5, 6), ...day(after, 0, 2, 4)], {
    compare: { filters: [{ id: 'base', filterType: 'include', filterValues: ['new'] }] },
    filters: [{ id: 'base', filterType: 'include', filterValues: ['old'] }],
    time: { from: before, to: after },
  })
  const [own, base] = [1, 7 / 3]
  expect(found).toMatchObject({ base: 4, baseAgents: 3, sharedAgents: 0, difference: -1 })
  near(found?.standardError, Math.sqrt(own + base))
  near(found?.degreesOfFreedom, (own + base) ** 2 / (own ** 2 / 1 + base ** 2 / 2))
})

it('has no comparison without a base, and only a difference for one home', () => {
  expect(compared(day(after, 0, 1, 2))).toBeNull()
  expect(compared([...day(before, 0, 3), ...day(after, 0, 1, 2)])).toMatchObject({
    base: 3,
    baseAgents: 1,
    sharedAgents: 1,
    difference: -1.5,
    standardError: null,
    ratio: null,
    pValue: null,
    verdict: 'not_distinguishable',
  })
})

it('counts only homes of both sides with `match`, which changes only the comparison', () => {
  const results = [...day(before, 1, 5, 6, 100), ...day(after, 0, 300, 4, 9)]
  const compare = { previous: true, match: 'agents' } as const
  expect(compared(results, { compare })).toMatchObject({ base: 5.5, baseAgents: 2, sharedAgents: 2, difference: 1 })
  const [point] = pointsOf(results, { compare })
  const [alone] = pointsOf(results, {})
  expect({ ...point, comparison: undefined }).toMatchObject({ ...alone, comparison: undefined })
})

it('has no verdict if fewer than ten homes all have the same value, and one from ten homes on', () => {
  const same = (count: number, value: number): number[] => Array.from({ length: count }, () => value)
  const changed = (count: number) =>
    compared([...day(before, 0, ...same(count, 5)), ...day(after, 0, ...same(count, 4))])
  expect(changed(9)).toMatchObject({ pValue: null, verdict: 'not_distinguishable' })
  expect(changed(10)).toMatchObject({ standardError: 0, pValue: 0, pAdjusted: 0, verdict: 'lower', better: true })
  const equal = compared([...day(before, 0, ...same(10, 5)), ...day(after, 0, ...same(10, 5))])
  expect(equal).toMatchObject({ difference: 0, pValue: null, verdict: 'not_distinguishable' })
})

it('is equivalent inside a margin only', () => {
  const results = [...day(before, 0, 1, 5, 6, 7, 8), ...day(after, 0, 1.1, 5.2, 6.1, 6.9, 8)]
  const verdict = (margin: object) => compared(results, { compare: { previous: true, ...margin } })?.verdict
  expect([verdict({}), verdict({ margin: 0.05 }), verdict({ margin: 1 })]).toEqual([
    'not_distinguishable',
    'not_distinguishable',
    'equivalent',
  ])
  expect([verdict({ marginPercent: 0.9 }), verdict({ marginPercent: 18.5 })]).toEqual([
    'not_distinguishable',
    'equivalent',
  ])
})

it("adjusts the p-values of all points by Holm's method", () => {
  const days = ['2020-06-01', '2020-06-02', '2020-06-03', '2020-06-04', '2020-06-05', '2020-06-06']
  const results = days.flatMap((date, index) => day(date, 0, index, index * 2 + 1, index * index, 3, 4 - index / 7))
  const points = pointsOf(results, {
    aggregation: 'daily',
    time: { from: '2020-06-04', to: '2020-06-06' },
    compare: { previous: true },
  })
  const found = points.map(({ comparison }) => comparison as Comparison)
  const [least = NaN, middle = NaN, most = NaN] = found
    .map(({ pValue }) => pValue ?? NaN)
    .toSorted((one, other) => one - other)
  const expected = [Math.min(1, 3 * least), Math.min(1, Math.max(3 * least, 2 * middle))]
  const adjusted = found.map(({ pAdjusted }) => pAdjusted ?? NaN).toSorted((one, other) => one - other)
  expect(adjusted).toEqual([...expected, Math.min(1, Math.max(...expected, most))])
  expect(found.map(({ base }) => base)).toEqual([1.6, (12 - 1 / 7) / 5, (18 - 2 / 7) / 5])
})

it('gives a share of 0 the variance of its interval', () => {
  const losses = (date: string, ...failures: number[]): SmallResult[] =>
    failures.map((count, index) => ({
      agent: home(index),
      at: `${date} 12:00:00`,
      failures: count,
      successes: 10 - count,
    }))
  const [point] = ask(smallDataset('dns', [...losses(before, 1, 2, 3), ...losses(after, 0, 0, 0)]), {
    metric: 'dnsFail',
    time,
    compare: { previous: true },
  }).flatMap(({ metricData }) => metricData)
  const found = point?.['comparison'] as Comparison
  const extreme = ((100 * (1 - 0.025 ** (1 / 3))) / quantileOfTail(0.05, 2)) ** 2
  near(found.standardError, Math.sqrt(extreme + 100 / 3))
  expect(found).toMatchObject({ base: 20, difference: -20, sharedAgents: 3, ratio: null })
})

it('compares series with one series, but not that series with itself', () => {
  const results = [...day(after, 0, 1, 2), ...day(after, 12, 3, 5)]
  const points = pointsOf(results, { splits: ['base'], compare: { split: 'base', base: 'new' } })
  expect(points.map(({ comparison }) => (comparison as Comparison | null)?.difference)).toEqual([undefined, -2.5])
})
