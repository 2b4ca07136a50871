import { bind, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { Aggregation } from '../../../catalog/aggregations.ts'
import type { WeekHour } from '../../../catalog/local-window.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { over, type Step } from '../statistics.ts'
import { clockSeries } from './clock-series.ts'
import { allowedHours, blockOf } from './week.ts'

/**
 * The functions of this file compute the expected schedule blocks of a request that depends on the local time. The days of the
 * week can then have different numbers of blocks. So the functions count Mondays, Tuesdays and so on separately, in arrays of
 * seven numbers from Monday on.
 */

/**
 * Returns seven numbers: how many Mondays, Tuesdays, … there are up to and including `day`, which is given in days since 1970.
 * The count begins on Monday, 1969-12-29. Callers use only differences of these numbers.
 */
const daysUntil = (day: Sql): Sql => sql`arrayMap(w -> intDiv(toInt64(${day}) + 11 - w, 7), range(1, 8))`

/**
 * Divides the week into `count` parts, so that a bucket contains the hours of one part only. `of` returns the number of the
 * part that contains an hour. `ofBucket` computes the number of the part from the bucket of a point.
 */
type Parts = { readonly count: number; readonly of: (at: WeekHour) => number; readonly ofBucket: Sql }

function partsOf({ key, hours }: Aggregation): Parts {
  if (key === 'day_of_week') return { count: 7, of: ({ weekday }) => weekday - 1, ofBucket: sql`bucket - 1` }
  if (hours === null) return { count: 1, of: () => 0, ofBucket: sql`0` }
  const ofBucket = key === 'hour_of_day' ? sql`bucket` : sql`intDiv(toHour(bucket), ${numberLiteral(hours)})`
  return { count: 24 / hours, of: ({ hour }) => Math.floor(hour / hours), ofBucket }
}

/**
 * Returns seven numbers, one for each day of the week: how many schedule blocks have an hour from which the series and the
 * bucket can have results. `splits` are the names of the key columns of a series.
 */
function blocksOfWeekdays(plan: MetricPlan, aggregation: Aggregation, splits: readonly Sql[]): Sql {
  const parts = partsOf(aggregation)
  // `blocks` has one item for each combination of split values and part of the week.
  const series = clockSeries(plan, splits)
  const blocks = Array.from({ length: series.count * parts.count }, () =>
    Array.from({ length: 7 }, () => new Set<number>()),
  )
  for (const at of allowedHours(plan)) {
    const place = series.at(at) * parts.count + parts.of(at)
    blocks[place]?.[at.weekday - 1]?.add(blockOf(plan.test.schedule, at.hour))
  }
  const first = sql`${parts.ofBucket} + ${numberLiteral(1 - series.offset * parts.count)}`
  const place = series.added(first, parts.count)
  const counts = blocks.map((week) => week.map((found) => found.size))
  return sql`${bind('Array(Array(UInt8))', counts)}[${place}]`
}

/**
 * Returns 31 numbers: number n is the sum of the schedule blocks of all `days` that are day n of their month. `days` is an
 * array of the days from the agent's first day to its last day.
 */
export function blocksOfElements(plan: MetricPlan, aggregation: Aggregation, splits: readonly Sql[], days: Sql): Sql {
  const blocks = blocksOfWeekdays(plan, aggregation, splits)
  const date = sql`toDate(toUInt16(d))`
  return sql`arrayMap(e -> arraySum(d -> (toDayOfMonth(${date}) = e) * ${blocks}[toDayOfWeek(${date})], ${days}), range(1, 32))`
}

/**
 * Returns the columns of the second level. Each column has seven numbers, from Monday on, and adds them up over agents.
 * `starting_weekdays`: the days before the first day of each agent that has its first point here. `ending_weekdays`: the days
 * up to the last day of each agent that has its last point here.
 */
export const weekdaySums: readonly Alias[] = [
  { name: 'starting_weekdays', value: sumIf(daysUntil(sql`first_day - 1`), sql`is_first`) },
  { name: 'ending_weekdays', value: sumIf(daysUntil(sql`last_day`), sql`is_last`) },
]

/** Multiplies by the condition, because `sumForEachIf` would return an empty array if no row satisfies the condition. */
function sumIf(days: Sql, condition: Sql): Sql {
  return sql`sumForEach(arrayMap(n -> (${condition}) * n, ${days}))`
}

/** Returns the number of expected schedule blocks of a point whose bucket is not a period, such as an hour of the day. */
export function blocksOfSeries(plan: MetricPlan, aggregation: Aggregation, splits: readonly Sql[]): Sql {
  if (aggregation.key === 'day_of_month') return sql`${over(sql`sumForEach(expected_elements)`, splits)}[bucket]`
  const of = (days: Sql): Sql => over(sql`sumForEach(${days})`, splits)
  return sql`arraySum((n, first, last) -> n * (last - first), ${blocksOfWeekdays(plan, aggregation, splits)}, ${of(sql`starting_weekdays`)}, ${of(sql`ending_weekdays`)})`
}

/** Computes an aggregate over the points of a series whose periods begin on the same day. */
export type InPeers = (aggregate: Sql) => Sql

/**
 * Returns the columns from which `blocksOfPeriod` counts the expected schedule blocks. If all peers are empty buckets, the sum
 * of their lists is an empty list.
 */
export const weekdaysOfPeers = (inPeers: InPeers): Step => [
  { name: 'weekdays_before', value: daysUntil(sql`bucket_first - 1`) },
  { name: 'weekdays_until', value: daysUntil(sql`bucket_last`) },
  { name: 'peers_starting', value: inPeers(sql`sum(starting)`) },
  { name: 'peers_ending', value: inPeers(sql`sum(ending)`) },
  { name: 'weekdays_of_starting', value: sql`arrayResize(${inPeers(sql`sumForEach(starting_weekdays)`)}, 7)` },
  { name: 'weekdays_of_ending', value: sql`arrayResize(${inPeers(sql`sumForEach(ending_weekdays)`)}, 7)` },
]

/**
 * Returns the number of expected schedule blocks of a point whose bucket is a period. Uses the columns of `weekdaysOfPeers`,
 * `started_before` and `gone`.
 */
export const blocksOfPeriod = (plan: MetricPlan, aggregation: Aggregation, splits: readonly Sql[]): Sql =>
  sql`toUInt64(arraySum((n, before, until, first, last) -> n * ((started_before - gone) * (until - before) + peers_starting * until - first - peers_ending * until + last), ${blocksOfWeekdays(plan, aggregation, splits)}, weekdays_before, weekdays_until, weekdays_of_starting, weekdays_of_ending))`
