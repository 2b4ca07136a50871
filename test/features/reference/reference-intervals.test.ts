import { expect, it } from 'vitest'
import { rollDice } from '../../faults/dice.ts'
import type { Agent } from './model/facts.ts'
import { cautionsOf } from './model/intervals.ts'
import { quotient } from './model/jackknife.ts'
import type { MetricRequest, Point } from './model/request.ts'
import { shareWithin, tQuantile } from './model/t-quantiles.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

const homes = Array.from({ length: 12 }, (_, index) => agentOf(`home-${index}`))
const home = (index: number): Agent => homes[index] ?? agentOf('none')

/** Results of one home, one per hour from midnight. */
const jitters = (index: number, ...milliseconds: number[]): SmallResult[] =>
  milliseconds.map((value, hour) => ({ agent: home(index), at: at(hour), jitter_down: value * 1000 }))

const at = (hour: number): string => `2020-06-01 ${String(hour).padStart(2, '0')}:00:00`

/** Counts of failures and of all attempts of one home, one pair per hour from midnight. */
const losses = (index: number, ...pairs: [number, number][]): SmallResult[] =>
  pairs.map(([failures, sent], hour) => ({ agent: home(index), at: at(hour), failures, successes: sent - failures }))

const include = ['uncertainty'] as MetricRequest['include'] & object

function pointOf(test: string, results: SmallResult[], request: Partial<MetricRequest> = {}): Point {
  const [point] = ask(smallDataset(test, results), { include, ...request }).flatMap(({ metricData }) => metricData)
  if (point === undefined) throw new Error('no point')
  return point
}

const jitter = (results: SmallResult[], request: Partial<MetricRequest> = {}) => pointOf('jitter', results, request)
const failures = (results: SmallResult[], request: Partial<MetricRequest> = {}) =>
  pointOf('dns', results, { metric: 'dnsFail', ...request })

const relative = (actual: unknown, expected: number): number => Math.abs(Number(actual) / expected - 1)
const expectNear = (actual: unknown, expected: number): void => expect(relative(actual, expected)).toBeLessThan(1e-12)

it('has the t quantiles of published tables', () => {
  for (const [level, degrees, quantile] of [
    [0.95, 1, 12.706204736],
    [0.95, 2, 4.30265273],
    [0.95, 10, 2.228138852],
    [0.9, 5, 2.015048373],
    [0.99, 30, 2.749995654],
    [0.99, 1, 63.656741162],
  ] as const) {
    expect(relative(tQuantile(level, degrees), quantile)).toBeLessThan(5e-10)
    expectNear(shareWithin(tQuantile(level, degrees), degrees), level)
  }
  expectNear(shareWithin(1, 1), 0.5)
  expect(Math.abs(tQuantile(0.95, 1e5) - 1.959963984540054)).toBeLessThan(3e-5)
})

it('interpolates t between whole degrees of freedom in 1/ν', () => {
  expect(tQuantile(0.95, 1.6)).toBeCloseTo(0.25 * tQuantile(0.95, 1) + 0.75 * tQuantile(0.95, 2), 12)
  expect(tQuantile(0.95, 3)).toBe(tQuantile(0.95, 3 + 1e-16))
})

it('divides whole numbers of any length', () => {
  expect(quotient(1n, 3n)).toBe(1 / 3)
  expect(quotient(-(10n ** 400n), 10n ** 399n)).toBe(-10)
  expect(quotient(3n, 10n ** 320n)).toBe(3e-320)
  expect(quotient(0n, 7n)).toBe(0)
})

it('computes the interval of three unequal homes as by hand', () => {
  // θ = 18/4. Without each home it is 14/2, 13/3 and 9/3.
  const point = jitter([...jitters(0, 1, 3), ...jitters(1, 5), ...jitters(2, 9)])
  const error = Math.sqrt((2 / 3) * (2.5 ** 2 + (1 / 6) ** 2 + 1.5 ** 2))
  expectNear(point['standardError'], error)
  expectNear(point['effectiveAgents'], 16 / 6)
  expectNear(point['degreesOfFreedom'], 10 / 6)
  expect(point['largestAgentShare']).toBe(0.5)
  expectNear(point['ci95'], error * (0.2 * tQuantile(0.95, 1) + 0.8 * tQuantile(0.95, 2)))
  const plain = Math.sqrt((3.5 ** 2 + 1.5 ** 2 + 0.5 ** 2 + 4.5 ** 2) / 4) / 2
  expectNear(point['designEffect'], (error / plain) ** 2)
  expectNear(point['effectiveSampleSize'], 4 / (error / plain) ** 2)
  expect(point['caution']).toEqual(['few_agents', 'dominated'])
})

it('computes the interval of a share as by hand', () => {
  // R = 3/20. Without each home it is 2/10 and 1/10, and half of the packets are of each home.
  const point = failures([...losses(0, [1, 10]), ...losses(1, [2, 5], [0, 5])])
  expectNear(point['standardError'], 100 * Math.sqrt((1 / 2) * (2 * 0.05 ** 2)))
  expect(point).toMatchObject({ effectiveAgents: 2, degreesOfFreedom: 1, largestAgentShare: 0.5 })
  expect(point['caution']).toEqual(['few_agents', 'dominated', 'few_failures'])
})

it('weights a home in a share by its denominators', () => {
  const point = failures([...losses(0, [1, 10], [1, 10]), ...losses(1, [1, 60])])
  expectNear(point['effectiveAgents'], 80 ** 2 / (20 ** 2 + 60 ** 2))
  expect(point['largestAgentShare']).toBe(0.75)
})

/** Results of several homes at random hours. A home of the last quarter is the only one in its hour. */
function rolled(make: (dice: ReturnType<typeof rollDice>) => Record<string, number>): SmallResult[] {
  const dice = rollDice(7)
  return homes.flatMap((agent, index) =>
    Array.from({ length: dice.between(1, 9) }, () => ({
      agent,
      at: at(index < 9 ? dice.between(0, 8) : index + 5),
      ...make(dice),
    })),
  )
}

it.each([
  ['mean', 'jitter', 'jitterDown', false],
  ['share', 'dns', 'dnsFail', false],
  ['normalised mean', 'jitter', 'jitterDown', true],
  ['normalised share', 'dns', 'dnsFail', true],
])('leaves out each home as a request without this home would: %s', (_, test, metric, normalised) => {
  const results = rolled((dice) => ({
    jitter_down: dice.between(1, 90_000),
    failures: dice.between(0, 3),
    successes: dice.between(1, 9),
  }))
  const request = { metric, normalised }
  const whole = pointOf(test, results, request)
  const squares = homes.map((agent) => {
    const filters = [{ id: 'agent', filterType: 'exclude', filterValues: [agent.id] }]
    const rest = pointOf(test, results, { ...request, filters })
    return (Number(rest['metricValue']) - Number(whole['metricValue'])) ** 2
  })
  const variance = (11 / 12) * squares.reduce((sum, square) => sum + square, 0)
  expect(relative(whole['standardError'], Math.sqrt(variance))).toBeLessThan(1e-11)
  expect(
    relative(whole['ci99'], Math.sqrt(variance) * tQuantile(0.99, Number(whole['degreesOfFreedom']))),
  ).toBeLessThan(1e-11)
})

it('keeps intervals by agents and shrinks the former ones if every result is there twice', () => {
  const results = rolled((dice) => ({ jitter_down: dice.between(1, 90_000) }))
  const [once, twice] = [jitter(results), jitter([...results, ...results])]
  for (const name of ['ci90', 'ci95', 'ci99', 'standardError', 'effectiveAgents'])
    expectNear(twice[name], Number(once[name]))
  const [former, halved] = [results, [...results, ...results]].map((all) => jitter(all, { intervals: 'results' }))
  expectNear(Number(former?.['ci95']) / Number(halved?.['ci95']), Math.SQRT2)
})

it('scales with the values', () => {
  const results = (factor: number) => rolled((dice) => ({ jitter_down: factor * dice.between(1, 90_000) }))
  expectNear(jitter(results(7))['ci95'], 7 * Number(jitter(results(1))['ci95']))
})

it('differs from the former interval only by t and m/(m − 1) if every home has one result', () => {
  const results = homes.flatMap((_, index) => jitters(index, (index * 37) % 11))
  const former = jitter(results, { intervals: 'results' })
  expectNear(
    Number(jitter(results)['ci95']) / Number(former['ci95']),
    (tQuantile(0.95, 11) / 1.959963984540054) * Math.sqrt(12 / 11),
  )
  expectNear(jitter(results)['designEffect'], 12 / 11)
})

it('gives the same interval with and without normalisation if every hour is alike', () => {
  const results = homes.flatMap((_, index) => jitters(index, ...Array.from({ length: 24 }, () => (index * 37) % 11)))
  expectNear(jitter(results, { normalised: true })['ci95'], Number(jitter(results)['ci95']))
  expect(jitter(results, { normalised: true })['effectiveAgents']).toBe(12)
})

it('has nulls for one home', () => {
  const point = jitter(jitters(0, 1, 3, 8))
  expect(point).toMatchObject({
    ci90: null,
    ci95: null,
    ci99: null,
    standardError: null,
    effectiveAgents: 1,
    degreesOfFreedom: null,
    largestAgentShare: 1,
    designEffect: null,
    effectiveSampleSize: null,
    percentileIntervals: null,
    caution: ['one_agent'],
  })
  expect(failures(losses(0, [1, 9]))['caution']).toEqual(['one_agent', 'few_failures'])
})

it('has no width if all homes agree', () => {
  const same = jitter([...jitters(0, 4, 4), ...jitters(1, 4)])
  expect(same).toMatchObject({ ci95: 0, standardError: 0, designEffect: null, effectiveSampleSize: null })
  const alike = jitter([...jitters(0, 3, 5), ...jitters(1, 5, 3)])
  expect(alike).toMatchObject({ ci95: 0, standardError: 0, designEffect: 0, effectiveSampleSize: null })
})

it('gives shares of 0 and 100 % the distance to the other limit', () => {
  const never = failures([...losses(0, [0, 30]), ...losses(1, [0, 10])])
  const effective = 40 ** 2 / (30 ** 2 + 10 ** 2)
  expectNear(never['ci95'], 100 * (1 - 0.025 ** (1 / effective)))
  expectNear(never['ci90'], 100 * (1 - 0.05 ** (1 / effective)))
  expect(never).toMatchObject({ metricValue: 0, standardError: 0, designEffect: null })
  const always = failures([...losses(0, [30, 30]), ...losses(1, [10, 10])], { normalised: true })
  expectNear(always['ci99'], 100 * (1 - 0.005 ** (1 / effective)))
  const half = failures([...losses(0, [15, 30]), ...losses(1, [5, 10])])
  expect(half).toMatchObject({ metricValue: 50, ci95: 0 })
})

it('keeps t · √V for a share of 0 that is a sum of losses and duplicates', () => {
  const packets = (index: number, received: number) => [
    { agent: home(index), at: at(0), packets_sent: 10, packets_received: received },
  ]
  const point = pointOf('mobile_latency', [...packets(0, 11), ...packets(1, 9)], { metric: 'mobilePacketLoss' })
  expect(point['metricValue']).toBe(0)
  expectNear(point['standardError'], 10)
  expectNear(point['ci95'], 10 * tQuantile(0.95, 1))
})

it('warns on the right side of each boundary', () => {
  const error = { agents: 40, standardError: 1, effectiveAgents: 30, degreesOfFreedom: 29, largestShare: 0.25 }
  expect(cautionsOf(error, undefined)).toEqual([])
  expect(cautionsOf({ ...error, effectiveAgents: 29.999 }, undefined)).toEqual(['few_agents'])
  expect(cautionsOf({ ...error, largestShare: 0.2501 }, undefined)).toEqual(['dominated'])
  expect(cautionsOf(error, { failing: 50, succeeding: 50 })).toEqual([])
  expect(cautionsOf(error, { failing: 49, succeeding: 80 })).toEqual(['few_failures'])
  expect(cautionsOf(error, { failing: 80, succeeding: 49 })).toEqual(['few_failures'])
})

it('maps the interval of the share below a percentile back through the percentiles', () => {
  const results = homes.flatMap((_, index) => jitters(index, index + 1))
  const ranges = jitter(results)['percentileIntervals'] as Record<string, [number | null, number | null]>
  // The median is 6.5 and half of the homes are below it. Its standard error is that of a mean of six 0 and six 1.
  const half = tQuantile(0.95, 11) * Math.sqrt(0.25 / 11)
  expectNear(ranges['50']?.[0], 1 + 11 * (0.5 - half))
  expectNear(ranges['50']?.[1], 1 + 11 * (0.5 + half))
  expect(Object.keys(ranges)).toHaveLength(11)
  expect([ranges['1']?.[0], ranges['99']?.[1]]).toEqual([null, null])
  expect(jitter(results, { normalised: true })['percentileIntervals']).toBeNull()
  expect(jitter(results, { percentiles: 'none' })).not.toHaveProperty('percentileIntervals')
  expect(jitter(results, { fields: ['ci95'] })).not.toHaveProperty('percentileIntervals')
})

it('has only the listed fields, and a caution only where there is an interval by agents', () => {
  const results = [...jitters(0, 1), ...jitters(1, 2)]
  const names = (request: Partial<MetricRequest>) => Object.keys(jitter(results, { include: [], ...request }))
  expect(names({ fields: ['max', 'ci90'] })).toEqual(['ci90', 'max', 'caution'])
  expect(names({ fields: ['max'] })).toEqual(['max'])
  expect(names({ fields: ['ci90'], intervals: 'results' })).toEqual(['ci90'])
  expect(names({ fields: ['max'], include })).toContain('caution')
  expect(names({ intervals: 'results', include })).not.toContain('caution')
  expect(names({ percentiles: 'none' })).not.toContain('median')
  const both = jitter(results, { intervals: 'results' })
  expect(both['standardError']).toBe(jitter(results)['standardError'])
  expect(both['ci95']).not.toBe(jitter(results)['ci95'])
})
