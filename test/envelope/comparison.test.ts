import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { comparedColumn, comparedNumbers } from '../../src/compile/metric/comparison/comparison.ts'
import { comparisons, withComparisons, type Compared, type Numbers } from '../../src/envelope/comparison.ts'
import { twoSidedTail, tWithTail } from '../../src/envelope/t-distribution.ts'
import { metricOf } from '../compile/plans.ts'

type Sides = {
  first: number[]
  second: number[]
  other: number[]
  paired: [statistic: number, p: number]
  welch: [statistic: number, p: number]
}

/** `t-distribution.py` in the same folder computes the tests with scipy. */
const { sides }: { sides: Sides[] } = JSON.parse(
  readFileSync(`${import.meta.dirname}/fixtures/t-distribution.json`, 'utf8'),
)

const alpha = 0.05
const usual: Numbers = {
  value: 110,
  baseValue: 100,
  agents: 20,
  baseAgents: 30,
  sharedAgents: 10,
  freedom: 18.5,
  baseFreedom: 28.25,
  ownVariance: 9,
  baseVariance: 16,
  variance: 4,
  ratioVariance: 0.0004,
  isUncompared: 0,
}
const asked: Compared = { metric: metricOf('httpget') }
type Options = Omit<NonNullable<Compared['compare']>, 'alpha'>
const one = (numbers: Partial<Numbers> = {}, options: Options = {}, about: Compared = asked) =>
  comparisons(about, { alpha, ...options }, [{ ...usual, ...numbers }])[0]

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const squaresOf = (values: readonly number[]): number => {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}
const varianceOf = (values: readonly number[]): number => squaresOf(values) / (values.length - 1) / values.length

it('computes interval, ratio and p-value of one comparison', () => {
  const t = tWithTail(alpha)(18.5)
  expect(one()).toEqual({
    base: 100,
    baseAgents: 30,
    sharedAgents: 10,
    difference: 10,
    standardError: 2,
    low: 10 - t * 2,
    high: 10 + t * 2,
    ratio: 1.1,
    ratioLow: 1.1 / Math.exp(t * 0.02),
    ratioHigh: 1.1 * Math.exp(t * 0.02),
    degreesOfFreedom: 18.5,
    pValue: twoSidedTail(5, 18.5),
    pAdjusted: twoSidedTail(5, 18.5),
    verdict: 'higher',
    better: true,
  })
})

it.each(sides)('is the paired test of scipy if both sides have the same agents', ({ first, second, paired }) => {
  const changes = second.map((value, index) => value - (first[index] ?? NaN))
  const count = first.length
  const found = one({
    value: meanOf(second),
    baseValue: meanOf(first),
    agents: count,
    baseAgents: count,
    sharedAgents: count,
    freedom: count - 1,
    baseFreedom: count - 1,
    variance: varianceOf(changes),
  })
  const [statistic, p] = paired
  expect((found?.difference ?? NaN) / (found?.standardError ?? NaN)).toBeCloseTo(statistic, 9)
  expect(found?.pValue).toBeCloseTo(p, 10)
})

it.each(sides)("is Welch's test of scipy if the sides have no agent in common", ({ first, other, welch }) => {
  const [ownVariance, baseVariance] = [varianceOf(other), varianceOf(first)]
  const found = one({
    value: meanOf(other),
    baseValue: meanOf(first),
    agents: other.length,
    baseAgents: first.length,
    sharedAgents: 0,
    freedom: other.length - 1,
    baseFreedom: first.length - 1,
    ownVariance,
    baseVariance,
    variance: ownVariance + baseVariance,
  })
  const [statistic, p] = welch
  expect((found?.difference ?? NaN) / (found?.standardError ?? NaN)).toBeCloseTo(statistic, 9)
  expect(found?.pValue).toBeCloseTo(p, 10)
})

describe('the edges', () => {
  it('has no comparison if a side has no agents, or is the base', () => {
    expect(one({ agents: 0 })).toBeNull()
    expect(one({ baseAgents: 0, baseValue: NaN })).toBeNull()
    expect(one({ isUncompared: 1 })).toBeNull()
  })

  it.each([{ agents: 1 }, { baseAgents: 1 }])('has only the difference if a side has one agent: %o', (numbers) => {
    const { base, baseAgents, sharedAgents, difference, verdict, ...others } = one(numbers) ?? {}
    expect([base, baseAgents, sharedAgents, difference]).toEqual([100, numbers.baseAgents ?? 30, 10, 10])
    expect(verdict).toBe('not_distinguishable')
    expect(new Set(Object.values(others))).toEqual(new Set([null]))
  })

  it('has no test of equal values without variance, and calls them not equivalent either', () => {
    const found = one(
      { value: 100, variance: 0, ownVariance: 0, baseVariance: 0 },
      { margin: { in: 'unit', value: 1 } },
    )
    expect(found).toMatchObject({ difference: 0, standardError: 0, low: null, high: null, pValue: null, ratio: 1 })
    expect(found).toMatchObject({ pAdjusted: null, verdict: 'not_distinguishable', better: null })
  })

  it('believes a difference without variance from ten agents on each side on', () => {
    const certain = { variance: 0, sharedAgents: 10, agents: 10, baseAgents: 10 }
    expect(one(certain)).toMatchObject({ pValue: 0, pAdjusted: 0, low: 10, high: 10, verdict: 'higher', better: true })
    for (const few of [{ agents: 9 }, { baseAgents: 9 }]) {
      expect(one({ ...certain, ...few })).toMatchObject({
        difference: 10,
        standardError: 0,
        low: null,
        pValue: null,
        verdict: 'not_distinguishable',
      })
    }
  })

  it('has at least one degree of freedom, whatever the rounding, and no test of a variance that is not a number', () => {
    const two = { agents: 2, baseAgents: 2, sharedAgents: 0, freedom: 1, baseFreedom: 1 }
    for (let ownVariance = 0.1; ownVariance < 10; ownVariance += 0.1) {
      const found = one({ ...two, ownVariance, baseVariance: ownVariance * 1e-17, variance: ownVariance })
      expect(found?.degreesOfFreedom).toBeGreaterThanOrEqual(1)
    }
    expect(one({ variance: NaN })).toMatchObject({ difference: 10, pValue: null, verdict: 'not_distinguishable' })
  })

  it('takes a variance of rounding errors for none', () => {
    for (const variance of [1e-21, 24e-24]) expect(one({ variance, agents: 9 })).toMatchObject({ pValue: null })
    expect(one({ variance: 1e-19, agents: 9 })?.pValue).toBeLessThan(1e-9)
  })

  it('has no test if a side of fewer than ten agents does not vary, unless it is a share of 0 or 100 %', () => {
    const few = { baseAgents: 9, baseFreedom: 8, baseVariance: 0, variance: 9, sharedAgents: 0 }
    expect(one(few)).toMatchObject({
      difference: 10,
      standardError: null,
      pValue: null,
      verdict: 'not_distinguishable',
    })
    expect(one({ ...few, baseAgents: 10 })).toMatchObject({ verdict: 'higher' })
    expect(one({ ...few, value: 60, baseValue: 50 }, {}, { metric: metricOf('packetLoss') })?.pValue).toBeNull()
  })

  it('gives a share of 0 or 100 % the variance that belongs to its interval', () => {
    const packetLoss = { metric: metricOf('packetLoss') }
    const many = { agents: 10_000, freedom: 9_999, value: 0.6, ownVariance: 0.0059 }
    const none = { baseAgents: 30, baseFreedom: 29, baseValue: 0, baseVariance: 0, sharedAgents: 0 }
    // No failure in 30 agents is compatible with a share of up to 11.6 %.
    const far = 100 * (1 - 0.025 ** (1 / 30))
    const found = one({ ...many, ...none, variance: 0.0059 }, {}, packetLoss)
    expect(found?.verdict).toBe('not_distinguishable')
    expect((found?.high ?? NaN) - 0.6).toBeGreaterThan(0.9 * far)
    expect(one({ ...many, ...none, variance: 0.0059, value: 40 }, {}, packetLoss)?.verdict).toBe('higher')
    // One of two agents has nearly all of the weight: 1.2 effective agents, and one degree of freedom.
    const uneven = {
      agents: 2,
      freedom: 0.2,
      value: 0,
      ownVariance: 0,
      baseValue: 50,
      baseVariance: 1,
      sharedAgents: 0,
    }
    const halfWidth = 100 * (1 - 0.025 ** (1 / 1.2))
    expect(one({ ...uneven, variance: 1 }, {}, packetLoss)?.standardError).toBeCloseTo(
      Math.hypot(1, halfWidth / 12.7062047364),
      8,
    )
    const reversed = { ...usual, agents: 3, freedom: 2, value: 100, ownVariance: 0, sharedAgents: 0 }
    const share = { statistic: 'share', threshold: { is: 'atLeast', value: 75 }, minimumResults: 1 } as const
    const homes = {
      ...reversed,
      baseAgents: 1_000,
      baseFreedom: 999,
      baseValue: 85,
      baseVariance: 0.25,
      variance: 0.25,
    }
    expect(one(homes, {}, { ...asked, perAgent: share })?.verdict).toBe('not_distinguishable')
  })

  it('has a ratio only if both values are positive', () => {
    const none = { ratio: null, ratioLow: null, ratioHigh: null }
    expect(one({ baseValue: 0, ratioVariance: NaN })).toMatchObject({ difference: 110, ...none, verdict: 'higher' })
    expect(one({ value: 0, ratioVariance: NaN })).toMatchObject({ difference: -100, ...none, verdict: 'lower' })
    expect(one({ value: -1, baseValue: -2 })).toMatchObject({ difference: 1, ...none })
  })

  it('has no upper bound of the ratio if that is larger than any number', () => {
    const two = { agents: 2, baseAgents: 2, sharedAgents: 2, freedom: 1, baseFreedom: 1, ratioVariance: 1 }
    const [found] = comparisons(asked, { alpha: 0.0001 }, [{ ...usual, ...two }])
    expect(found).toMatchObject({ ratio: 1.1, ratioLow: 0, ratioHigh: null })
    expect(one(two)?.ratioHigh).toBeGreaterThan(1e5)
  })
})

describe('the verdict', () => {
  it('uses the adjusted p-values of all points', () => {
    const points = [2.5, 2.2, 2.2].map((difference) => ({
      ...usual,
      value: 100 + 2 * difference,
      freedom: 1e6,
      baseFreedom: 1e6,
    }))
    const found = comparisons(asked, { alpha }, points)
    expect(found.map((point) => Math.round(1e4 * (point?.pValue ?? NaN)))).toEqual([124, 278, 278])
    expect(found.map((point) => Math.round(1e4 * (point?.pAdjusted ?? NaN)))).toEqual([373, 556, 556])
    expect(found.map((point) => point?.verdict)).toEqual(['higher', 'not_distinguishable', 'not_distinguishable'])
    expect(found.map((point) => (point?.low ?? NaN) > 0)).toEqual([true, true, true])
  })

  it('is better or worse by the direction of the metric', () => {
    const better = (key: string, value: number, more: Partial<Compared> = {}) =>
      one({ value: value / 2, baseValue: 50 }, {}, { metric: metricOf(key), ...more })?.better
    expect([better('httpget', 110), better('httpget', 90), better('httpget', 100)]).toEqual([true, false, null])
    expect([better('latency', 110), better('latency', 90)]).toEqual([false, true])
    expect(one({}, {}, { metric: metricOf('wanDown') })?.better).toBeNull()
    const share = (is: 'atLeast' | 'below') => ({
      perAgent: { statistic: 'share', threshold: { is, value: 50 }, minimumResults: 1 } as const,
    })
    expect([better('latency', 110, share('atLeast')), better('latency', 110, share('below'))]).toEqual([false, true])
  })

  it('is equivalent if the 1 − 2α interval lies inside the margin', () => {
    const half = tWithTail(2 * alpha)(18.5) * 2
    const verdict = (value: number, options: Options) => one({ value }, options)?.verdict
    expect(verdict(101, { margin: { in: 'unit', value: 1.001 + half } })).toBe('equivalent')
    expect(verdict(101, { margin: { in: 'unit', value: 0.999 + half } })).toBe('not_distinguishable')
    expect(verdict(99, { margin: { in: 'unit', value: 1.001 + half } })).toBe('equivalent')
    expect(verdict(101, { margin: { in: 'percent', value: 1.001 + half } })).toBe('equivalent')
    expect(verdict(110, { margin: { in: 'percent', value: 50 } })).toBe('higher')
    expect(verdict(101, {})).toBe('not_distinguishable')
  })
})

it('replaces the column of numbers, and counts the comparisons with a p-value', async () => {
  const row = (numbers: Partial<Numbers>) => comparedNumbers.map((name) => ({ ...usual, ...numbers })[name])
  const columns = ['metricValue', comparedColumn, 'partial']
  const rows = [
    [110, row({}), true],
    [110, row({ baseAgents: 0 }), false],
    [110, row({ agents: 1 }).with(5, null as never), false],
  ]
  const found = await withComparisons({ ...asked, compare: { alpha } }, { columns, rows })
  expect(found.columns).toEqual(['metricValue', 'comparison', 'partial'])
  expect(found.rows).toEqual([
    [110, one(), true],
    [110, null, false],
    [110, one({ agents: 1 }), false],
  ])
  expect(found.comparisons).toEqual({ number: 1 })
  expect(await withComparisons(asked, { columns: ['metricValue'], rows })).toEqual({ columns: ['metricValue'], rows })
})

it('judges each point by its metric, and adjusts the p-values of all metrics together', async () => {
  const row = comparedNumbers.map((name) => usual[name])
  const { measure } = asked.metric
  const each = [
    { metric: { key: 'up', higherIsBetter: true, measure } },
    { metric: { key: 'down', higherIsBetter: false, measure } },
  ]
  const points = {
    columns: ['metric', comparedColumn],
    rows: [
      ['up', row],
      ['down', row],
    ],
  }
  const { rows } = await withComparisons({ ...asked, each, compare: { alpha: 0.4 } }, points)
  const pAdjusted = 2 * (one()?.pValue ?? 1)
  expect(rows).toMatchObject([
    ['up', { better: true, pAdjusted }],
    ['down', { better: false, pAdjusted }],
  ])
})
