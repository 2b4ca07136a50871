import { expect, it } from 'vitest'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkPointSelection, type PointSelection } from '../../../src/check/metric/point-selection.ts'
import { choice, errorsOf, missing, type, unexpected } from '../faults.ts'

const names = () => ({
  numbers: ['metricValue', 'percentiles.95'],
  orderable: ['isp', 'dtime', 'metricValue', 'percentiles.95'],
})

const check = (body: Record<string, unknown>): PointSelection => {
  const faults = new FieldFaults()
  const checked = checkPointSelection(body, names, faults)
  faults.throwIfAny()
  return checked
}
const errors = (body: Record<string, unknown>) => errorsOf(() => check(body))

it('selects every point if the request has none of its fields', () => {
  expect(check({})).toEqual({})
  expect(check({ having: null, order: null, limit: null })).toEqual({})
})

it('accepts conditions on numbers, orders by what a point has, and a limit', () => {
  expect(
    check({
      having: [
        { field: 'metricValue', atLeast: 30 },
        { field: 'percentiles.95', below: -0.5, above: null },
      ],
      order: [{ by: 'isp', direction: 'desc' }, { by: 'percentiles.95' }],
      limit: 100_000,
    }),
  ).toEqual({
    having: [
      { field: 'metricValue', is: 'atLeast', value: 30 },
      { field: 'percentiles.95', is: 'below', value: -0.5 },
    ],
    order: [
      { by: 'isp', direction: 'desc' },
      { by: 'percentiles.95', direction: 'asc' },
    ],
    limit: 100_000,
  })
})

const oneBound = ['This object should have exactly one of: atLeast, above, atMost, below.']
it.each<[Record<string, unknown>, unknown]>([
  [{ having: {} }, { having: type('array') }],
  [{ having: [] }, { having: ['This list should contain from 1 to 20 objects.'] }],
  [
    { having: Array.from({ length: 21 }, () => ({ field: 'metricValue', above: 1 })) },
    { having: ['This list should contain from 1 to 20 objects.'] },
  ],
  [{ having: ['metricValue'] }, { 'having[0]': type('object') }],
  [{ having: [{ above: 1 }] }, { 'having[0][field]': missing }],
  [{ having: [{ field: 'isp', above: 1 }] }, { 'having[0][field]': choice }],
  [{ having: [{ field: 'percentiles', above: 1 }] }, { 'having[0][field]': choice }],
  [{ having: [{ field: 'metricValue' }] }, { 'having[0]': oneBound }],
  [{ having: [{ field: 'metricValue', above: 1, below: 2 }] }, { 'having[0]': oneBound }],
  [{ having: [{ field: 'metricValue', above: '1' }] }, { 'having[0][above]': type('number') }],
  [{ having: [{ field: 'metricValue', above: 1, equals: 2 }] }, { 'having[0][equals]': unexpected }],
  [{ order: [] }, { order: ['This list should contain from 1 to 10 objects.'] }],
  [{ order: ['metricValue'] }, { 'order[0]': type('object') }],
  [{ order: [{ by: 'max' }] }, { 'order[0][by]': choice }],
  [{ order: [{ by: 'isp', direction: 'down' }] }, { 'order[0][direction]': choice }],
  [{ limit: '5' }, { limit: type('integer') }],
  [{ limit: 1.5 }, { limit: type('integer') }],
  [{ limit: 0 }, { limit: ['This value should be between 1 and 100000.'] }],
  [{ limit: 100_001 }, { limit: ['This value should be between 1 and 100000.'] }],
])('refuses %j', (body, expected) => {
  expect(errors(body)).toEqual(expected)
})

it('refuses to select raw points, and accepts a limit of them', () => {
  const message = ['Only aggregated points can have this; use the chart type "aggregate".']
  const body = { chartType: 'raw', having: [], order: [], limit: 5 }
  expect(errors(body)).toEqual({ having: message, order: message })
  expect(check({ chartType: 'raw', limit: 5 })).toEqual({ limit: 5 })
  expect(errors({ after: 'x' })).toEqual({ after: ['Only a response has pages.'] })
})
