import { expect, it } from 'vitest'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkMetrics, metricsMax } from '../../../src/check/metric/metrics.ts'
import { visible } from '../../compile/plans.ts'
import { errorsOf } from '../faults.ts'

function check(body: Record<string, unknown>): readonly string[] {
  const faults = new FieldFaults()
  const metrics = checkMetrics({ chartType: 'aggregate', ...body }, visible, faults)
  faults.throwIfAny()
  return metrics.map(({ key }) => key)
}
const errors = (body: Record<string, unknown>) => errorsOf(() => check(body))
const keys = visible.metrics.map(({ key }) => key)

it('takes one metric, or several in their order', () => {
  expect(check({ metric: 'latency' })).toEqual(['latency'])
  expect(check({ metric: null, metrics: ['latency', 'httpget'] })).toEqual(['latency', 'httpget'])
  expect(check({ metric: 'latency', metrics: null })).toEqual(['latency'])
  expect(check({ metrics: keys.slice(0, metricsMax) })).toHaveLength(metricsMax)
})

it.each([
  [{}, 'metric', 'This field is missing.'],
  [{ metric: 'latency', metrics: ['httpget'] }, 'metrics', 'Leave out this field or "metric".'],
  [{ metrics: 'latency' }, 'metrics', 'This value should be of type array.'],
  [{ metrics: [] }, 'metrics', 'This list should contain from 1 to 10 metrics.'],
  [{ metrics: keys.slice(0, metricsMax + 1) }, 'metrics', 'This list should contain from 1 to 10 metrics.'],
  [{ metrics: ['latency', 'latency'] }, 'metrics[1]', 'This metric is repeated.'],
  [{ metrics: ['latency', 5] }, 'metrics[1]', 'This value should be of type string.'],
  [{ metrics: ['latency'], chartType: 'raw' }, 'metrics', 'Raw points are of one metric; use "metric".'],
])('refuses %j', (body, path, message) => {
  expect(errors(body)).toEqual({ [path]: [message] })
})
