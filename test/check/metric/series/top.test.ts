import { expect, it } from 'vitest'
import { FieldFaults } from '../../../../src/check/field-faults.ts'
import { checkTop } from '../../../../src/check/metric/series/top.ts'
import { visible } from '../../../compile/plans.ts'
import { choice, errorsOf, missing, type, unexpected } from '../../faults.ts'

const dimension = (id: string) => visible.dimensions.filter((one) => one.id === id)
const bySplit = (id: string) => ({ splits: dimension(id), normalised: false, include: [] })

const check = (top: unknown, more: Partial<Parameters<typeof checkTop>[1]> = {}, chartType = 'aggregate') => {
  const faults = new FieldFaults()
  const numbers = () => ['metricValue', 'sampleCount', 'percentiles.95', 'coverage.share']
  const checked = checkTop({ chartType, top }, { ...bySplit('isp'), ...more }, numbers, faults)
  faults.throwIfAny()
  return checked
}

it('ranks by the metric value, the largest first, and pools the others, unless the request says otherwise', () => {
  expect(check(null)).toEqual({})
  expect(check({ n: 5 })).toEqual({ top: { n: 5, by: 'metricValue', direction: 'desc', others: true } })
  const given = { n: 1_000, by: 'percentiles.95', direction: 'asc', others: false }
  expect(check(given)).toEqual({ top: given })
})

it.each([
  [5, { top: type('object') }],
  [{}, { 'top[n]': missing }],
  [{ n: '5' }, { 'top[n]': type('integer') }],
  [{ n: 0 }, { 'top[n]': ['This value should be between 1 and 1000.'] }],
  [{ n: 1_001 }, { 'top[n]': ['This value should be between 1 and 1000.'] }],
  [{ n: 5, by: 'isp' }, { 'top[by]': choice }],
  [{ n: 5, by: 'coverage.share' }, { 'top[by]': choice }],
  [{ n: 5, direction: 'up' }, { 'top[direction]': choice }],
  [{ n: 5, others: 1 }, { 'top[others]': type('bool') }],
  [{ n: 5, by2: 1 }, { 'top[by2]': unexpected }],
])('refuses %j', (top, expected) => {
  expect(errorsOf(() => check(top))).toEqual(expected)
})

it('needs series, and a base that is not one of them', () => {
  const errors = (more: Parameters<typeof check>[1], chartType?: string) =>
    errorsOf(() => check({ n: 5 }, more, chartType))
  expect(errors({ splits: [] })).toEqual({ top: ['Only a request with splits has series.'] })
  expect(errors({}, 'raw')).toEqual({ top: ['Only aggregated points can have this; use the chart type "aggregate".'] })
})

it('cannot pool hours that only the query knows', () => {
  const refused = { 'top[others]': [expect.stringContaining('"others": false')] }
  const others = (more: Parameters<typeof check>[1], given = true) =>
    errorsOf(() => check({ n: 5, others: given }, { ...bySplit('peak'), ...more }))
  expect(others({ normalised: true })).toEqual(refused)
  expect(others({ emptyBuckets: true })).toEqual(refused)
  expect(others({ include: ['coverage'] })).toEqual(refused)
  expect(check({ n: 5 }, { ...bySplit('peak'), include: ['uncertainty'] })).toHaveProperty('top')
  expect(check({ n: 5, others: false }, { ...bySplit('peak'), normalised: true })).toHaveProperty('top')
})
