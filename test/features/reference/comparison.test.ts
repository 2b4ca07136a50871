import { expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { newSeed } from '../../faults/dice.ts'
import { firstDifference } from './comparison.ts'
import { buildDataset } from './dataset/build-dataset.ts'
import { comparisonScale } from './model/comparison/compared.ts'
import { dimensions, dimensionsOf } from './model/dimensions.ts'
import { reference } from './model/reference.ts'
import { scale, scaleBefore, type Data, type Point } from './model/request.ts'
import { Coverage } from './requests/coverage.ts'
import { rollRequests, type Askable } from './requests/roll-requests.ts'

const customFields: Record<string, string[]> = {
  acme: ['custom.tier', 'custom.line_mbps', 'custom.région.test', 'custom.site'],
  other: ['custom.tier', 'custom.site'],
}

/** All dimensions that the specification names. The service may list fewer. */
const everything: Askable = (organisation, metric) => {
  const ids = [...dimensionsOf(metric), ...(customFields[organisation] ?? [])]
  return { splits: ids, filters: ids }
}

/** Only the deep run uses a new seed. So the ordinary run fails only if the code has changed. */
const seed = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? newSeed() : 1
const dataset = buildDataset(seed)
const requests = rollRequests(dataset, seed, 500, everything, Temporal.Now.instant())

it('generates more than 200,000 results, the same for the same seed', () => {
  const again = buildDataset(seed)
  const count = [...dataset.results.values()].reduce((sum, { length }) => sum + length, 0)
  expect(count).toBeGreaterThan(200_000)
  expect(dataset.results.size).toBe(16)
  expect(again.results.get('dns')).toEqual(dataset.results.get('dns'))
})

it('has values in every whole-number column that a test has, so that a new metric is compared too', () => {
  const empty = catalog.tests.flatMap(({ key, columns }) => {
    const rows = dataset.results.get(key) ?? []
    return columns
      .filter(({ name, type }) => type !== 'text' && !rows.some(({ row }) => typeof row[name] === 'number'))
      .map(({ name }) => `${key}.${name}`)
  })
  expect(empty).toEqual([])
})

it('requests everything often enough, and nearly always something that exists', { timeout: 300_000 }, () => {
  const coverage = new Coverage()
  for (const asked of requests) coverage.add(asked, reference(dataset, asked))
  console.log(`seed ${seed}: ${coverage.table()}`)
  const ids = [...Object.keys(dimensions), ...(customFields['acme'] ?? [])]
  expect(coverage.rarerThan(10, ids), `seed ${seed}`).toEqual([])
  expect(coverage.emptiedPoints, `seed ${seed}`).toBeGreaterThanOrEqual(100)
  expect(coverage.metricsWithoutPoints, `seed ${seed}`).toEqual([])
  expect(coverage.shareWithPoints, `seed ${seed}`).toBeGreaterThanOrEqual(0.9)
})

const point: Point = {
  dtime: '2020-06-01',
  metricValue: 5,
  stdDev: 2,
  sampleCount: 8,
  agentCount: 2,
  unitCount: 1,
  ci90: 1,
  ci95: null,
  ci99: 3,
  min: 2,
  max: 9,
  median: 4.5,
  percentiles: { 50: 4.5, 99: 8.9 },
  designEffect: 3,
  percentileIntervals: { 50: [4, 5], 99: [8, null] },
  caution: ['few_agents', 'dominated'],
  isp: null,
}
const answer = (...points: Point[]): Data => [{ metricData: points }]
const changed = (change: Point): string | null => firstDifference(answer(point), answer({ ...point, ...change }))

it('compares counts, bounds and labels exactly, and the rest within a relative 1e-9', () => {
  expect(changed({})).toBeNull()
  for (const name of ['metricValue', 'stdDev', 'ci90', 'median'])
    expect([
      changed({ [name]: Number(point[name]) * (1 + 9e-10) }),
      changed({ [name]: Number(point[name]) * (1 + 2e-9) }),
    ]).toEqual([null, expect.stringContaining(name)])
  for (const name of ['sampleCount', 'agentCount', 'unitCount', 'min', 'max'])
    expect(changed({ [name]: Number(point[name]) * (1 + 1e-15) })).toContain(name)
  expect(changed({ percentiles: { 50: 4.5, 99: 8.9 * (1 + 2e-9) } })).toContain('percentiles')
  expect(changed({ percentiles: { 50: 4.5 } })).toContain('percentiles')
  expect(changed({ dtime: '2020-06-02' })).toContain('dtime')
  expect(changed({ isp: '' })).toContain('isp')
  expect(changed({ ci95: 0 })).toContain('ci95')
  expect(changed({ sampleCount: '8' })).toContain('sampleCount')
  expect(changed({ surplus: null })).toContain('surplus')
})

it('compares the members of uncertainty within the same bound, and cautions exactly', () => {
  expect([changed({ designEffect: 3 + 2e-9 }), changed({ designEffect: 3 + 4e-9 })]).toEqual([
    null,
    expect.stringContaining('designEffect'),
  ])
  for (const ranges of [null, { 50: [4, 5] }, { 50: [4, 5], 99: [8, 9] }, { 50: [4, 5 + 1e-7], 99: [8, null] }])
    expect(changed({ percentileIntervals: ranges })).toContain('percentileIntervals')
  expect(changed({ percentileIntervals: { 50: [4, 5 + 4e-9], 99: [8, null] } })).toBeNull()
  for (const caution of [['dominated', 'few_agents'], ['few_agents'], [], null, undefined])
    expect(changed({ caution })).toContain('caution')
})

it('compares exactly whether a point is partial', () => {
  const partial = { ...point, partial: true }
  expect(firstDifference(answer(partial), answer(partial))).toBeNull()
  expect(firstDifference(answer(partial), answer(point))).toContain('partial')
  for (const given of [true, false, null]) expect(changed({ partial: given })).toContain('partial')
})

it('compares an explained prefilter and the coverage exactly, except the value without the prefilter', () => {
  const prefilter = {
    before: 9,
    removed: 1,
    unfilteredValue: 6,
    agentsLost: 0,
    rules: [{ name: 'clock-step', version: 1, matched: 1, alone: 1 }],
  }
  const coverage = { agentsSeen: 2, agentsGone: null, share: 1 / 3, newestStored: '2020-06-02T00:00:00.001Z' }
  const explained = { ...point, prefilter, coverage }
  const changedTo = (change: Point): string | null =>
    firstDifference(answer(explained), answer({ ...explained, ...change }))
  expect(changedTo({ prefilter: { ...prefilter, unfilteredValue: 6 + 5e-9 } })).toBeNull()
  const wrongEffects = [
    { unfilteredValue: 6 + 7e-9 },
    { unfilteredValue: null },
    { removed: 1 + 1e-15 },
    { rules: [] },
    { rules: [{ name: 'clock-step', version: 2, matched: 1, alone: 1 }] },
    { surplus: 0 },
  ]
  for (const change of wrongEffects)
    expect(changedTo({ prefilter: { ...prefilter, ...change } })).toContain('prefilter')
  for (const given of [null, undefined]) expect(changedTo({ prefilter: given })).toContain('prefilter')
  const wrongCoverages = [{ share: 1 / 3 + 1e-15 }, { agentsGone: 0 }, { newestStored: '2020-06-02T00:00:00Z' }]
  for (const change of wrongCoverages) expect(changedTo({ coverage: { ...coverage, ...change } })).toContain('coverage')
  const raw = { metricValue: 1, removedBy: ['a', 'b'] }
  expect(firstDifference(answer(raw), answer({ ...raw, removedBy: ['a', 'b'] }))).toBeNull()
  expect(firstDifference(answer(raw), answer({ ...raw, removedBy: ['b', 'a'] }))).toContain('removedBy')
})

it('compares the counts of a histogram exactly, and its edges within the same bound', () => {
  const histogram = { edges: [1, 2 ** 0.125], counts: [3], below: 0, above: 1 }
  const given = (change: Point): string | null =>
    firstDifference(answer({ ...point, histogram }), answer({ ...point, histogram: { ...histogram, ...change } }))
  expect(given({ edges: [1, 2 ** 0.125 * (1 + 9e-10)] })).toBeNull()
  const wrong = [{ edges: [1] }, { edges: [1, 1.09] }, { counts: [3 + 1e-15] }, { below: null }, { surplus: 0 }]
  for (const change of wrong) expect(given(change)).toContain('histogram')
})

it('compares counts and verdicts of a comparison exactly, and its numbers within the same bound', () => {
  const comparison = { baseAgents: 2, difference: 1, standardError: 2, pValue: 1e-7, verdict: 'higher', better: true }
  const given = (change: Point, greatest = 0): string | null =>
    firstDifference(
      answer({ ...point, comparison: { ...comparison, [comparisonScale]: greatest } }),
      answer({ ...point, comparison: { ...comparison, ...change } }),
    )
  expect([given({ difference: 1 + 9e-10 }), given({ pValue: 1e-7 + 9e-17 })]).toEqual([null, null])
  const wrong = [
    { difference: 1 + 2e-9 },
    { pValue: 1.01e-7 },
    { verdict: 'lower' },
    { better: null },
    { baseAgents: 3 },
  ]
  for (const change of wrong) expect(given(change)).toContain('comparison')
  // A difference is as precise as the values of both sides.
  expect([given({ difference: 1 + 5e-5 }, 1e9), given({ difference: 1 + 5e-4 }, 1e9)]).toEqual([
    null,
    expect.stringContaining('comparison'),
  ])
  expect(firstDifference(answer({ ...point, comparison: null }), answer({ ...point, comparison }))).not.toBeNull()
})

it('allows rounding of the value without the prefilter by the values without it', () => {
  const given = (unfilteredValue: number, greatest: number): Point => ({
    ...point,
    prefilter: { unfilteredValue },
    [scaleBefore]: greatest,
  })
  expect(firstDifference(answer(given(1, 1e9)), answer(given(1 + 5e-5, 0)))).toBeNull()
  expect(firstDifference(answer(given(1, 1e3)), answer(given(1 + 5e-5, 0)))).not.toBeNull()
})

it('uses the scale of a point that has only some fields', () => {
  const few = { metricValue: 1, [scale]: { min: -1e9, max: 1e9, sampleCount: 2 } }
  expect(firstDifference(answer(few), answer({ metricValue: 1 + 1e-5 }))).toBeNull()
  expect(firstDifference(answer({ metricValue: 1 }), answer({ metricValue: 1 + 1e-5 }))).not.toBeNull()
})

it('compares the order and the number of points and groups', () => {
  const other = { ...point, dtime: '2020-06-02' }
  expect(firstDifference(answer(point, other), answer(other, point))).toContain('dtime')
  expect(firstDifference(answer(point), answer(point, other))).toContain('1 points expected, got 2')
  expect(firstDifference(answer(point, other), answer(point))).toContain('is missing')
  expect(firstDifference(answer(point), [...answer(point), ...answer(other)])).toContain('1 groups expected, got 2')
  expect(firstDifference(answer(point), undefined)).not.toBeNull()
})

it('allows rounding if there is no deviation, but not for values near 1e9', () => {
  const same = { ...point, min: 1e9, max: 1e9, stdDev: 0, metricValue: 1e9 }
  expect(firstDifference(answer(same), answer({ ...same, stdDev: 1e-7 }))).toBeNull()
  const near = { ...same, max: 1e9 + 1, stdDev: 0.5 }
  expect(firstDifference(answer(near), answer({ ...near, stdDev: 0.5 + 1e-9 }))).not.toBeNull()
})
