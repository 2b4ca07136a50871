import { expect, it } from 'vitest'
import { newSeed } from '../../faults/dice.ts'
import { firstDifference } from './comparison.ts'
import { buildDataset } from './dataset/build-dataset.ts'
import { dimensions, dimensionsOf } from './model/dimensions.ts'
import { reference } from './model/reference.ts'
import type { Data, Point } from './model/request.ts'
import { Coverage } from './requests/coverage.ts'
import { rollRequests, type Askable } from './requests/roll-requests.ts'

const customFields: Record<string, string[]> = {
  acme: ['custom.tier', 'custom.line_mbps', 'custom.région.test', 'custom.site'],
  other: ['custom.tier', 'custom.site'],
}

/** Everything the decisions name; the service's own lists may be shorter. */
const everything: Askable = (organisation, metric) => {
  const ids = [...dimensionsOf(metric), ...(customFields[organisation] ?? [])]
  return { splits: ids, filters: ids }
}

/** Other dice in the deep run only, so that the ordinary one fails only where something has changed. */
const seed = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? newSeed() : 1
const dataset = buildDataset(seed)
const requests = rollRequests(dataset, seed, 500, everything, Temporal.Now.instant())

it('makes more than 200,000 results, the same for the same seed', () => {
  const again = buildDataset(seed)
  const count = [...dataset.results.values()].reduce((sum, { length }) => sum + length, 0)
  expect(count).toBeGreaterThan(200_000)
  expect(dataset.results.size).toBe(16)
  expect(again.results.get('dns')).toEqual(dataset.results.get('dns'))
})

it('asks for everything often enough, and nearly always for something that is there', { timeout: 300_000 }, () => {
  const coverage = new Coverage()
  for (const asked of requests) coverage.add(asked, reference(dataset, asked))
  console.log(`seed ${seed}: ${coverage.table()}`)
  const ids = [...Object.keys(dimensions), ...(customFields['acme'] ?? [])]
  expect(coverage.rarerThan(10, ids), `seed ${seed}`).toEqual([])
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
  isp: null,
}
const answer = (...points: Point[]): Data => [{ metricData: points }]
const changed = (change: Point): string | null => firstDifference(answer(point), answer({ ...point, ...change }))

it('compares counts, bounds and labels exactly, and the rest within 1e-9 of itself', () => {
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

it('compares the order and the number of points and groups', () => {
  const other = { ...point, dtime: '2020-06-02' }
  expect(firstDifference(answer(point, other), answer(other, point))).toContain('dtime')
  expect(firstDifference(answer(point), answer(point, other))).toContain('1 points expected, got 2')
  expect(firstDifference(answer(point, other), answer(point))).toContain('is missing')
  expect(firstDifference(answer(point), [...answer(point), ...answer(other)])).toContain('1 groups expected, got 2')
  expect(firstDifference(answer(point), undefined)).not.toBeNull()
})

it('excuses rounding where there is no deviation, but not beside values near 1e9', () => {
  const same = { ...point, min: 1e9, max: 1e9, stdDev: 0, metricValue: 1e9 }
  expect(firstDifference(answer(same), answer({ ...same, stdDev: 1e-7 }))).toBeNull()
  const near = { ...same, max: 1e9 + 1, stdDev: 0.5 }
  expect(firstDifference(answer(near), answer({ ...near, stdDev: 0.5 + 1e-9 }))).not.toBeNull()
})
