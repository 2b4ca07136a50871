import { expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { metricPlan } from '../../../src/compile/metric/metric-plan.ts'
import { zoneOffsets } from '../../../src/compile/metric/clock/zone-offsets.ts'
import { planOf, secondOf, testOf } from '../plans.ts'

const last = 4_294_967_295

it('has the test of its metric', () => {
  expect(planOf({ metric: 'dnsFail' }).test).toBe(testOf('dns'))
})

it('throws for a metric whose test does not exist', () => {
  expect(() => metricPlan({ ...planOf(), filters: [] }, { ...catalog, tests: [testOf('dns')] }, [], [])).toThrow(
    'metric httpget is of a test that is not there',
  )
})

it.each([
  [-5, -1, 0, 0],
  [0, last, 0, last],
  [10, last + 1, 10, last],
  [last + 10, last + 20, last, last],
])('limits the range %d to %d to the seconds that ClickHouse can hold', (from, to, first, final) => {
  const plan = metricPlan({ ...planOf(), filters: [], from, to }, catalog, [], [])
  expect([plan.from, plan.to]).toEqual([first, final])
})

const zones = [{ id: 1, name: 'Europe/Berlin' }]
const change = secondOf('2026-03-29T01:00:00Z')
const margin = 26 * 3600

it('has offsets for 26 hours beyond the range, and no further', () => {
  const changesIn = (from: number, to: number): number =>
    metricPlan({ ...planOf(), filters: [], from, to }, catalog, zones, []).offsets.transitions.length
  expect(changesIn(change + margin - 1, change + margin)).toBe(1)
  expect(changesIn(change + margin, change + margin)).toBe(0)
  expect(changesIn(change - margin - 100, change - margin)).toBe(1)
  expect(changesIn(change - margin - 100, change - margin - 1)).toBe(0)
})

it('keeps the request, with what was looked up for it', () => {
  const filters = [{ dimension: planOf({ splits: ['isp'] }).splits[0], type: 'include', values: ['Acme'], ids: [4] }]
  const request = { ...planOf({ splits: ['base'] }), filters: [] }
  const plan = metricPlan(request, catalog, zones, filters as never, [9])
  expect(plan).toEqual({
    ...request,
    test: testOf('httpget'),
    filters,
    erased: [9],
    offsets: zoneOffsets(zones, request.from - margin, request.to + margin),
  })
})

it('excludes no agent by default', () => {
  expect(metricPlan({ ...planOf(), filters: [] }, catalog, [], []).erased).toEqual([])
})
