import { describe, expect, it } from 'vitest'
import { presets } from '../../../src/catalog/presets/index.ts'
import { checkMetricRequest } from '../../../src/check/metric/metric-request.ts'
import { metricsOf } from '../../../src/check/metric/preset.ts'
import { visible } from '../../compile/plans.ts'
import { choice, errorsOf } from '../faults.ts'

const proper = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: true,
  time: { from: '2026-01-01', to: '2026-01-31' },
}
const now = Temporal.Instant.from('2026-03-29T12:34:56.789Z')
const panels = [{ id: 7, key: 'homes', owned: true }]
const check = (body: object) => checkMetricRequest({ ...proper, ...body }, visible, panels, now)
const errors = (body: object) => errorsOf(() => check(body))
const needed = { perAgent: { statistic: 'share', atLeast: 50 } }

it('has a key of its own, a source and what to read in every preset', () => {
  expect(new Set(presets.map(({ key }) => key)).size).toBe(presets.length)
  for (const { source, read, description, name } of presets) {
    for (const text of [source.authority, source.document, read, description, name]) expect(text).not.toBe('')
  }
})

describe.each(presets)('$key', (preset) => {
  const own = preset.needs.length === 0 ? {} : needed
  const metrics = metricsOf(preset, visible.metrics).map(({ key }) => key)

  it('can be asked of each of its metrics, and of no other', () => {
    expect(metrics).not.toEqual([])
    for (const { key: metric } of visible.metrics) {
      const found = errors({ metric, preset: preset.key, ...own })
      expect(found === null).toBe(metrics.includes(metric))
    }
  })

  it('is the same request as its fields', () => {
    const body = { metric: metrics[0], ...own }
    const { asked, ...filled } = check({ ...body, preset: preset.key })
    expect(check({ ...body, ...preset.fields })).toEqual(filled)
    expect(asked).toEqual({ ...proper, ...body, ...preset.fields, preset: preset.key })
  })

  it('gives the same request when the echoed request is sent again', () => {
    const first = check({ metric: metrics[0], ...own, preset: preset.key })
    expect(check({ ...first.asked })).toEqual(first)
  })
})

it('does not change a field of the request, but fills one that is null', () => {
  const window = { hours: [3] }
  const given = check({ preset: 'fcc.plan-bands', window, histogram: { edges: [50] } })
  expect(given).toMatchObject({ window: { hours: [3] }, histogram: { edges: [50] }, relativeTo: 'plan' })
  expect(check({ preset: 'fcc.plan-bands', histogram: null }).histogram).toEqual({ edges: [80, 95] })
})

it('takes agent_agg as the statistic of each agent', () => {
  expect(check({ preset: 'fcc.plan-bands', agent_agg: true }).perAgent).toEqual({
    statistic: 'mean',
    minimumResults: 1,
  })
})

it('refuses an unknown preset, and a metric or a request that the preset cannot have', () => {
  expect(errors({ preset: 'fcc.speed' })).toEqual({ preset: choice })
  expect(errors({ preset: 7 })).toEqual({ preset: ['This value should be of type string.'] })
  expect(errors({ preset: 'caf.80-80', metric: 'latency' })).toEqual({
    relativeTo: ['Packages have no speed for this metric.'],
  })
  expect(errors({ preset: 'fcc.loss-bands', metric: 'latency' })).toEqual({
    metric: ['The preset "fcc.loss-bands" is not for this metric.'],
  })
  expect(errors({ preset: 'berec.normally-available' })).toMatchObject({
    perAgent: ['The preset "berec.normally-available" needs this field.'],
  })
  expect(errors({ preset: 'fcc.consistent-speed', percentiles: 'none' })).toHaveProperty('percentileLevels')
  expect(errors({ preset: 'caf.80-80', chartType: 'raw' })).toHaveProperty('histogram')
})

it('is absent if it is null', () => {
  expect(check({ preset: null })).toEqual(check({}))
})
