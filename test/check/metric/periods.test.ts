import { describe, expect, it } from 'vitest'
import { aggregations, type Aggregation } from '../../../src/catalog/aggregations.ts'
import {
  bucketsAtMost,
  checkedRange,
  checkWholePeriods,
  isChronological,
  wholePeriods,
} from '../../../src/check/metric/periods.ts'
import { aggregationOf, secondOf } from '../../compile/plans.ts'
import { faultsOf, choice, type } from '../faults.ts'

const shown = (second: number): string =>
  Temporal.Instant.fromEpochMilliseconds(second * 1000)
    .toString()
    .replace('Z', '')

/** Returns the whole periods of a range as texts. By default, the range has ended everywhere. */
function wholeOf(key: Aggregation['key'], from: string, to: string, endedAt = '2099-01-01T00:00:00'): string[] {
  const range = { from: secondOf(`${from}Z`), to: secondOf(`${to}Z`) }
  const whole = wholePeriods(aggregationOf(key), range, secondOf(`${endedAt}Z`))
  return [shown(whole.from), shown(whole.to)]
}

it('has eight aggregations whose points are periods', () => {
  expect(aggregations.filter(isChronological).map(({ key }) => key)).toEqual([
    'hourly',
    'two_hourly',
    'four_hourly',
    'six_hourly',
    'daily',
    'weekly',
    'monthly',
    'quarterly',
  ])
})

it.each<[Aggregation['key'], string, string]>([
  ['hourly', '2026-01-01T01:00:00', '2026-12-31T21:59:59'],
  ['two_hourly', '2026-01-01T02:00:00', '2026-12-31T21:59:59'],
  ['four_hourly', '2026-01-01T04:00:00', '2026-12-31T19:59:59'],
  ['six_hourly', '2026-01-01T06:00:00', '2026-12-31T17:59:59'],
  ['daily', '2026-01-02T00:00:00', '2026-12-30T23:59:59'],
  ['weekly', '2026-01-05T00:00:00', '2026-12-27T23:59:59'],
  ['monthly', '2026-02-01T00:00:00', '2026-11-30T23:59:59'],
  ['quarterly', '2026-04-01T00:00:00', '2026-09-30T23:59:59'],
])('leaves out a part of a period at either end: %s', (key, from, to) => {
  expect(wholeOf(key, '2026-01-01T00:00:01', '2026-12-31T22:30:00')).toEqual([from, to])
  expect(wholeOf(key, from, to)).toEqual([from, to])
})

it('takes a period as whole from its first to its last second', () => {
  expect(wholeOf('daily', '2026-01-01T00:00:00', '2026-01-02T23:59:59')[1]).toBe('2026-01-02T23:59:59')
  expect(wholeOf('daily', '2026-01-01T00:00:00', '2026-01-02T23:59:58')[1]).toBe('2026-01-01T23:59:59')
})

it('takes a period as ended from the second after its last one', () => {
  const january = ['2026-01-01T00:00:00', '2026-01-31T23:59:59'] as const
  expect(wholeOf('daily', ...january, '2026-01-08T00:00:00')[1]).toBe('2026-01-07T23:59:59')
  expect(wholeOf('daily', ...january, '2026-01-07T23:59:59')[1]).toBe('2026-01-06T23:59:59')
})

it.each(['0001-01-03T00:00:00', '1969-12-29T00:00:00', '2096-02-27T00:00:00'])('knows the day after %s', (from) => {
  const later = shown(secondOf(`${from}Z`) + 86_400)
  expect(wholeOf('daily', shown(secondOf(`${from}Z`) + 1), '2099-01-01T00:00:00')[0]).toBe(later)
})

it('begins weeks on a Monday, also before 1970', () => {
  expect(wholeOf('weekly', '1969-12-28T00:00:00', '1970-01-11T23:59:59')).toEqual([
    '1969-12-29T00:00:00',
    '1970-01-11T23:59:59',
  ])
})

it.each<[string, string]>([
  ['2026-01-01T00:00:01', '2026-02-28T23:59:58'],
  ['2026-02-01T00:00:01', '2026-03-31T23:59:58'],
])('has no whole month from %s to %s', (from, to) => {
  const [first = '', last = ''] = wholeOf('monthly', from, to)
  expect(last < first).toBe(true)
})

describe('wholePeriods of a request', () => {
  const faults = (value: unknown, key: Aggregation['key'] | null = 'daily', chartType = 'aggregate') =>
    faultsOf((found) =>
      checkWholePeriods({ wholePeriods: value, chartType }, key === null ? null : aggregationOf(key), found),
    )

  it('is true, or false, which is the default', () => {
    for (const value of [true, false, null, undefined]) expect(faults(value)).toBeNull()
    expect(faults('yes')).toEqual({ wholePeriods: type('bool') })
  })

  it('needs points that are periods', () => {
    expect(faults(true, 'hour_of_day')).toEqual({ wholePeriods: choice })
    expect(faults(true, 'total')).toEqual({ wholePeriods: choice })
    expect(faults(true, null, 'raw')).toEqual({ wholePeriods: choice })
    expect(faults(false, null, 'raw')).toBeNull()
    expect(faults(false, 'total')).toBeNull()
  })

  it('has no second fault if the aggregation has one', () => {
    expect(faults(true, null)).toBeNull()
  })

  const range = { from: 5, to: 200_000 }
  it('narrows the range only if it is asked for', () => {
    const whole = { from: 86_400, to: 172_799 }
    expect(checkedRange({ ...range, wholePeriods: true }, whole)).toEqual(whole)
    expect(checkedRange(range, whole)).toEqual(range)
    expect(checkedRange(range, null)).toEqual(range)
  })

  it('is refused if no period is whole', () => {
    const refused = () => checkedRange({ ...range, wholePeriods: true }, { from: 86_400, to: 86_399 })
    expect(refused).toThrow(expect.objectContaining({ errors: { time: ['No whole period of this range has ended.'] } }))
    expect(checkedRange({ ...range, wholePeriods: true }, { from: 5, to: 5 })).toEqual({ from: 5, to: 5 })
    expect(checkedRange(range, { from: 86_400, to: 86_399 })).toEqual(range)
  })
})

describe('the number of periods in a range', () => {
  const count = (key: Aggregation['key'], from: string, to: string): number =>
    bucketsAtMost(aggregationOf(key), { from: secondOf(`${from}Z`), to: secondOf(`${to}Z`) })

  it.each([
    ['hourly', '2026-01-01T00:00:00', '2026-01-01T23:59:59', 24],
    ['hourly', '2026-01-01T00:59:59', '2026-01-01T01:00:00', 2],
    ['daily', '2026-01-01T00:00:00', '2026-01-31T23:59:59', 31],
    ['weekly', '2026-01-04T23:59:59', '2026-01-05T00:00:00', 2],
    ['weekly', '2026-01-05T00:00:00', '2026-01-11T23:59:59', 1],
    ['monthly', '2025-12-31T00:00:00', '2026-02-01T00:00:00', 3],
    ['quarterly', '2025-12-31T00:00:00', '2026-04-01T00:00:00', 3],
    ['hour_of_day', '2026-01-01T00:00:00', '2026-01-31T23:59:59', 24],
    ['day_of_week', '2026-01-01T00:00:00', '2026-01-31T23:59:59', 7],
    ['day_of_month', '2026-01-01T00:00:00', '2026-01-31T23:59:59', 31],
    ['total', '2026-01-01T00:00:00', '2026-01-31T23:59:59', 1],
  ] as const)('%s from %s to %s: %i', (key, from, to, expected) => {
    expect(count(key, from, to)).toBe(expected)
  })
})
