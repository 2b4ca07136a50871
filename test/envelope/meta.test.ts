import { expect, it } from 'vitest'
import { ok } from '../../src/envelope/envelope.ts'
import { metaOf, nextHeader } from '../../src/envelope/meta.ts'
import { dimensionOf, metricOf } from '../compile/plans.ts'

const plan = {
  metric: metricOf('latency'),
  range: { from: '2026-01-01T00:00:00', to: '2026-01-31T23:59:59' },
  panels: [3, 7],
  include: [],
  splits: [],
  filters: [],
}

it('describes the metric, the range and the panels if the request includes it', () => {
  const { key, name, unit, description } = plan.metric
  expect(metaOf({ ...plan, include: ['meta'] })).toEqual({
    metric: { key, name, unit, description },
    time: plan.range,
    panels: 2,
  })
})

it('is there for a request of whole periods, and not for other requests', () => {
  expect(metaOf({ ...plan, wholePeriods: true })).toMatchObject({ time: plan.range, wholePeriods: true })
  expect(metaOf(plan)).toBeUndefined()
})

it('is there for a request that is relative to the plan', () => {
  const relative = { ...plan, metric: { ...plan.metric, unit: '%' }, relativeTo: 'plan' } as const
  expect(metaOf(relative)).toMatchObject({ metric: { unit: '%' }, relativeTo: 'plan' })
})

it('shows the request with the fields of its preset', () => {
  const asked = { metric: 'latency', preset: 'caf.80-80', histogram: { edges: [80] } }
  expect(metaOf({ ...plan, asked })).toMatchObject({ time: plan.range, request: asked })
})

it('shows the window that filters, or what peak is', () => {
  expect(metaOf({ ...plan, window: { weekdays: null, hours: [3] } })).toMatchObject({ window: { hours: [3] } })
  const peak = metaOf({ ...plan, splits: [dimensionOf('peak')] })
  expect(peak).toMatchObject({ peak: { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] } })
  expect(peak).not.toHaveProperty('window')
  expect(metaOf({ ...plan, filters: [{ kind: 'leaf', dimension: dimensionOf('peak') }] })).toEqual(peak)
  expect(metaOf({ ...plan, splits: [dimensionOf('hour_of_day')] })).toBeUndefined()
})

it('is between the data and the warnings of an envelope', () => {
  const meta = metaOf({ ...plan, include: ['meta'] })
  const warnings = [{ code: 'more_warnings', message: '1 more of these.' }] as const
  expect(Object.keys(ok([], warnings, meta))).toEqual(['code', 'message', 'data', 'meta', 'warnings'])
  expect(ok([])).not.toHaveProperty('meta')
})

it('says that points are about agents, with what was asked, and the unit of a share', () => {
  const perAgent = { statistic: 'mean', minimumResults: 5 } as const
  expect(metaOf({ ...plan, perAgent })).toMatchObject({ about: 'agents', perAgent, metric: { unit: 'ms' } })
  const share = { statistic: 'share', threshold: { is: 'below', value: 20 }, minimumResults: 1 } as const
  expect(metaOf({ ...plan, perAgent: share, reaching: { is: 'atLeast', value: 90 } })).toMatchObject({
    metric: { unit: '%' },
    perAgent: { statistic: 'share', below: 20, minimumResults: 1 },
    reaching: { atLeast: 90 },
  })
})

it('has a header with the cursor only if there is a next page', () => {
  expect(nextHeader('abc')).toEqual({ 'broadgauge-next': 'abc' })
  expect(nextHeader(null)).toEqual({})
  expect(nextHeader(undefined)).toEqual({})
})
