import { expect, it } from 'vitest'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkDistribution, pointsMaxOf, type Distribution } from '../../../src/check/metric/distribution.ts'
import { choice, errorsOf, type, unexpected } from '../faults.ts'

const check = (body: Record<string, unknown>, hasPercentiles = true): Distribution => {
  const faults = new FieldFaults()
  const checked = checkDistribution(body, hasPercentiles, faults)
  faults.throwIfAny()
  return checked
}
const errors = (body: Record<string, unknown>, hasPercentiles?: boolean) => errorsOf(() => check(body, hasPercentiles))

it('has neither levels nor a histogram if the request has none', () => {
  expect(check({})).toEqual({})
  expect(check({ percentileLevels: null, histogram: null })).toEqual({})
})

it('accepts 1 to 20 different levels above 0 and below 100, and sorts them', () => {
  expect(check({ percentileLevels: [99.9, 2.5, 50] })).toEqual({ percentileLevels: [2.5, 50, 99.9] })
  const twenty = Array.from({ length: 20 }, (_, index) => index + 0.5)
  expect(check({ percentileLevels: twenty })).toEqual({ percentileLevels: twenty })
  expect(check({ percentileLevels: [1e-9, 99.999999] })).toEqual({ percentileLevels: [1e-9, 99.999999] })
})

const range = ['This value should be above 0 and below 100.']
it.each<[unknown, unknown]>([
  ['2.5', { percentileLevels: type('array') }],
  [[], { percentileLevels: ['This list should contain from 1 to 20 numbers.'] }],
  [
    Array.from({ length: 21 }, (_, index) => index + 1),
    { percentileLevels: ['This list should contain from 1 to 20 numbers.'] },
  ],
  [[0, 50, 100], { 'percentileLevels[0]': range, 'percentileLevels[2]': range }],
  [[-1], { 'percentileLevels[0]': range }],
  [[50, 5, 50], { 'percentileLevels[2]': ['This value is repeated.'] }],
  [[50, '5', null], { 'percentileLevels[1]': type('number'), 'percentileLevels[2]': type('number') }],
])('refuses the levels %j', (percentileLevels, expected) => {
  expect(errors({ percentileLevels })).toEqual(expected)
})

it('refuses levels if the points have no percentiles', () => {
  const message = ['Only a request whose points have "percentiles" can have this field.']
  expect(errors({ percentileLevels: [5] }, false)).toEqual({ percentileLevels: message })
})

it('accepts 1 to 200 ascending edges, and logarithmic bins', () => {
  expect(check({ histogram: { edges: [-1.5, 0, 80] } })).toEqual({ histogram: { edges: [-1.5, 0, 80] } })
  expect(check({ histogram: { edges: [80], bins: null } })).toEqual({ histogram: { edges: [80] } })
  const most = Array.from({ length: 200 }, (_, index) => index)
  expect(check({ histogram: { edges: most } })).toEqual({ histogram: { edges: most } })
  expect(check({ histogram: { bins: 'log', edges: null } })).toEqual({ histogram: { bins: 'log' } })
})

it('allows fewer points if they have many edges', () => {
  const edges = (count: number) => ({ histogram: { edges: Array.from({ length: count }, (_, index) => index) } })
  expect([{}, edges(25), edges(26), edges(200), { histogram: { bins: 'log' as const } }].map(pointsMaxOf)).toEqual([
    100_000, 100_000, 96_153, 12_500, 12_500,
  ])
})

it('treats −0 as 0', () => {
  const { histogram } = check({ histogram: { edges: [-0, 1] } })
  expect(Object.is((histogram as { edges: number[] }).edges[0], 0)).toBe(true)
})

const one = ['This object should have exactly one of: edges, bins.']
const ascending = ['This value should be above the one before it.']
it.each<[unknown, unknown]>([
  [[80], { histogram: type('object') }],
  [{}, { histogram: one }],
  [{ edges: [1], bins: 'log' }, { histogram: one }],
  [{ edges: [1], width: 2 }, { 'histogram[width]': unexpected }],
  [{ bins: 'equal' }, { 'histogram[bins]': choice }],
  [{ edges: 80 }, { 'histogram[edges]': type('array') }],
  [{ edges: [] }, { 'histogram[edges]': ['This list should contain from 1 to 200 numbers.'] }],
  [
    { edges: Array.from({ length: 201 }, (_, index) => index) },
    { 'histogram[edges]': ['This list should contain from 1 to 200 numbers.'] },
  ],
  [{ edges: [1, 1] }, { 'histogram[edges][1]': ascending }],
  [{ edges: [3, 2, 4] }, { 'histogram[edges][1]': ascending }],
  [{ edges: [1, '2'] }, { 'histogram[edges][1]': type('number') }],
])('refuses the histogram %j', (histogram, expected) => {
  expect(errors({ histogram })).toEqual(expected)
})
