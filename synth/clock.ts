import { bind, literal, sql, type Sql } from '../src/base/sql.ts'
import type { Schedule } from '../src/catalog/schedules.ts'
import { numberOf } from './lists.ts'
import { places, zones } from './places.ts'

/** How busy lines are by hour of the local day; the busiest hour is 1. At weekends the middle of the day is busier. */
const busyness = [
  0.28, 0.18, 0.1, 0.06, 0.05, 0.06, 0.1, 0.18, 0.26, 0.3, 0.33, 0.36, 0.38, 0.38, 0.4, 0.44, 0.5, 0.58, 0.7, 0.85, 1,
  0.97, 0.78, 0.5,
]

/**
 * The hours of the local day that begin in a range of time, for every zone, with the block of the test's schedule they
 * are in. An hour begins where the zone's own clock says so: at half past or a quarter to where clocks differ by that, and
 * on a day of DST there are 23 or 25.
 */
export function localHours(from: Temporal.Instant, to: Temporal.Instant, schedule: Schedule): Sql {
  const quarters = Math.round(from.until(to).total('minutes') / 15)
  const all = [...new Set(places.map(({ zone }) => zone))]
    .map(hoursOf)
    .reduce((one, other) => sql`${one} UNION ALL ${other}`)
  const begins = schedule.slice(0, -1)
  return sql`
WITH quarters AS (
  SELECT toDateTime(${bind('UInt32', from.epochMilliseconds / 1000)}, 'UTC') + 900 * number AS starts_at
  FROM numbers(${bind('UInt32', quarters)})
)
SELECT *, ${bind('Array(UInt8)', begins)} AS begins, arrayLastIndex(hour -> hour <= local_hour, begins) AS block,
  begins[block] AS block_begins, ${bind('Array(UInt8)', schedule)}[block + 1] - block_begins AS block_hours,
  least(1, ${numberOf(busyness, (load) => load, sql`local_hour + 1`)} + if(weekday > 5 AND local_hour BETWEEN 9 AND 18, 0.15, 0)) AS load
FROM (${all})`
}

/** Over the quarters of an hour of the range: no zone's clock differs from UTC by less. */
const hoursOf = (zone: string): Sql => sql`
  SELECT ${bind('UInt8', zones.indexOf(zone) + 1)} AS zone, starts_at, toHour(starts_at, ${literal(zone)}) AS local_hour,
    toDate(starts_at, ${literal(zone)}) AS local_day, toDayOfWeek(starts_at, 0, ${literal(zone)}) AS weekday
  FROM quarters WHERE toMinute(starts_at, ${literal(zone)}) = 0`
