import { expect, it } from 'vitest'
import { hourlyBlocks, speedTestBlocks } from '../../../../src/catalog/schedules.ts'
import { allowedHours, blockHours, dependsOnClock } from '../../../../src/compile/metric/clock/week.ts'
import type { ResolvedFilter, ResolvedLeaf } from '../../../../src/compile/metric/filter-condition.ts'
import { aggregationOf, dimensionOf, planOf } from '../../plans.ts'

const evenings = { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] }
const filter = (id: string, type: 'include' | 'exclude', ...values: string[]): ResolvedLeaf => ({
  kind: 'leaf',
  dimension: dimensionOf(id),
  type,
  values,
  ids: [],
  names: [],
})

/** The hours that are not 0, by hour of the day, or by day and hour of the week. */
function hoursOf(asked: Parameters<typeof planOf>[0] & {}): Record<string, number> {
  const { of, hours } = blockHours(speedTestBlocks, aggregationOf(asked.aggregation ?? 'daily'), planOf(asked))
  const name = (index: number) => (of === 'day' ? `${index}` : `${Math.floor(index / 24) + 1} ${index % 24}`)
  return Object.fromEntries(hours.flatMap((count, index) => (count === 0 ? [] : [[name(index), count]])))
}

it('counts the hours of a block inside the window, the same on every day', () => {
  const expected = { 19: 1, 20: 2, 21: 2, 22: 1 }
  expect(hoursOf({ window: evenings })).toEqual(expected)
  expect(hoursOf({ window: evenings, aggregation: 'monthly' })).toEqual(expected)
  expect(hoursOf({ window: { ...evenings, weekdays: null } })).toEqual(expected)
  expect(hoursOf({ filters: [filter('peak', 'include', 'peak')], aggregation: 'total' })).toEqual(expected)
  expect(hoursOf({ filters: [filter('hour_of_day', 'include', '19', '20', '21', '22', '99')] })).toEqual(expected)
})

it('counts the hours that are in the window and in the bucket', () => {
  expect(hoursOf({ window: evenings, aggregation: 'two_hourly' })).toEqual({ 19: 1, 20: 2, 21: 2, 22: 1 })
  expect(hoursOf({ window: { weekdays: null, hours: [13, 15, 17, 18] }, aggregation: 'four_hourly' })).toEqual({
    13: 2,
    15: 2,
    17: 1,
    18: 1,
  })
  expect(hoursOf({ window: evenings, aggregation: 'hour_of_day' })).toEqual({ 19: 1, 20: 1, 21: 1, 22: 1 })
})

it('counts the hours of the series if the request splits by the clock', () => {
  expect(Object.values(hoursOf({ splits: ['hour_of_day'] }))).toEqual(Array.from({ length: 24 }, () => 1))
  expect(hoursOf({ splits: ['day_of_week', 'isp'] })[3]).toBe(6)
})

it('counts the hours of the week if days differ and a bucket has several days', () => {
  const weekly = hoursOf({ splits: ['peak'], aggregation: 'weekly' })
  expect([weekly['1 19'], weekly['1 20'], weekly['5 22']]).toEqual([5, 10, 5])
  expect([weekly['1 3'], weekly['1 18'], weekly['6 19'], weekly['7 20'], weekly['6 23']]).toEqual([42, 9, 9, 4, 9])
  const daily = hoursOf({ splits: ['peak'], aggregation: 'daily' })
  expect([daily['1 19'], daily['1 18'], daily['1 23'], daily['6 19'], daily['6 20']]).toEqual([1, 1, 1, 2, 2])
  expect(hoursOf({ splits: ['peak'], aggregation: 'day_of_week' })).toEqual(daily)
})

it('tells days apart by what is peak on them, also if every hour is a block', () => {
  const { of, hours } = blockHours(hourlyBlocks, aggregationOf('monthly'), planOf({ splits: ['peak'] }))
  expect(of).toBe('week')
  expect([hours[3], hours[19], hours[5 * 24 + 19], hours[5 * 24 + 3]]).toEqual([7, 5, 2, 7])
  const ofDays = blockHours(hourlyBlocks, aggregationOf('monthly'), planOf({ splits: ['peak', 'day_of_week'] }))
  expect(new Set(ofDays.hours)).toEqual(new Set([1]))
})

it('has no hours if the conditions contradict each other', () => {
  expect(hoursOf({ window: evenings, filters: [filter('day_of_week', 'include', '7')] })).toEqual({})
})

it('names the hours of the week that a request can have results in', () => {
  const asked = { filters: [filter('peak', 'exclude', 'off_peak'), filter('isp', 'include', 'x')] }
  expect(allowedHours(planOf(asked))).toHaveLength(20)
  expect(allowedHours(planOf({ ...asked, window: { weekdays: [5, 6], hours: null } }))).toHaveLength(4)
  expect(allowedHours(planOf())).toHaveLength(168)
})

it('depends on the clock only by a window, or a split or filter by hour, day or peak', () => {
  expect(dependsOnClock(planOf({ splits: ['isp'], filters: [filter('agent', 'include', 'x')] }))).toBe(false)
  expect(dependsOnClock(planOf({ window: evenings }))).toBe(true)
  expect(dependsOnClock(planOf({ splits: ['peak'] }))).toBe(true)
  expect(dependsOnClock(planOf({ filters: [filter('day_of_week', 'exclude', '1')] }))).toBe(true)
})

it('gives every hour its own block for hourly tests', () => {
  expect(blockHours(hourlyBlocks, aggregationOf('daily'), planOf({ window: evenings })).hours.slice(18, 24)).toEqual([
    0, 1, 1, 1, 1, 0,
  ])
})

it('allows an hour in which a result can match, whatever its other dimensions are', () => {
  const [night, evening] = [filter('hour_of_day', 'include', '3'), filter('hour_of_day', 'include', '20')]
  const isp = filter('isp', 'include', 'Acme')
  const hours = (...filters: ResolvedFilter[]) => {
    const allowed = new Set(allowedHours(planOf({ filters })).map(({ hour }) => hour))
    return allowed.size === 24 ? 'all' : [...allowed]
  }
  expect(hours({ kind: 'any', of: [night, evening] })).toEqual([3, 20])
  expect(hours({ kind: 'all', of: [night, evening] })).toEqual([])
  expect(hours({ kind: 'any', of: [night, isp] })).toBe('all')
  expect(hours({ kind: 'all', of: [night, isp] })).toEqual([3])
  expect(hours({ kind: 'not', of: { kind: 'any', of: [{ kind: 'not', of: night }, isp] } })).toEqual([3])
  expect(hours({ kind: 'not', of: { kind: 'all', of: [night, isp] } })).toBe('all')
  expect(hours({ kind: 'not', of: { kind: 'not', of: night } })).toEqual([3])
})
