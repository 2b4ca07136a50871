import { expect, it } from 'vitest'
import { FieldFaults } from '../../../../src/check/field-faults.ts'
import { checkEmptyBuckets } from '../../../../src/check/metric/series/empty-buckets.ts'
import { aggregationOf } from '../../../compile/plans.ts'
import { choice, errorsOf, type } from '../../faults.ts'

const check = (emptyBuckets: unknown, aggregation: Parameters<typeof aggregationOf>[0] | null) => {
  const faults = new FieldFaults()
  const body = { emptyBuckets, chartType: aggregation === null ? 'raw' : 'aggregate' }
  const checked = checkEmptyBuckets(body, aggregation === null ? null : aggregationOf(aggregation), faults)
  faults.throwIfAny()
  return checked
}

it('accepts every aggregation that has buckets', () => {
  for (const key of ['hourly', 'quarterly', 'hour_of_day', 'day_of_month'] as const) {
    expect(check(true, key)).toEqual({ emptyBuckets: true })
  }
  expect(check(false, 'total')).toEqual({})
  expect(check(null, null)).toEqual({})
})

it('refuses totals, raw points and other values', () => {
  expect(errorsOf(() => check(true, 'total'))).toEqual({ emptyBuckets: choice })
  expect(errorsOf(() => check(true, null))).toEqual({ emptyBuckets: choice })
  expect(errorsOf(() => check('true', 'daily'))).toEqual({ emptyBuckets: type('bool') })
})
