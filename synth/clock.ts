import { bind, identifier, literal, sql, type Sql } from '../src/base/sql.ts'
import { speedTestBlocks, type Schedule } from '../src/catalog/schedules.ts'
import { hash } from './chance.ts'
import { numberOf } from './lists.ts'
import { places, zones, type Geography } from './places.ts'
import { adding, needed, type Columns } from './select.ts'

/** Load of the lines by local hour of the day, divided by that of the busiest hour, on weekdays and at weekends. */
const busyness = [
  [0.28, 0.18, 0.1, 0.06, 0.05, 0.06, 0.1, 0.18, 0.26, 0.3, 0.33, 0.36],
  [0.38, 0.38, 0.4, 0.44, 0.5, 0.58, 0.7, 0.85, 1, 0.97, 0.78, 0.5],
  [0.31, 0.21, 0.12, 0.07, 0.05, 0.06, 0.1, 0.19, 0.31, 0.41, 0.5, 0.57],
  [0.61, 0.62, 0.64, 0.67, 0.71, 0.76, 0.83, 0.91, 1, 0.97, 0.78, 0.5],
].flat()
const busynessAt = (hour: Sql): Sql =>
  numberOf(busyness, (load) => load, sql`1 + (${hour}) % 24 + if(weekday > 5, 24, 0)`)

/**
 * The local hours that begin in a time range, for every zone, each with its block of the test's schedule. In some zones a local
 * hour begins at half past or a quarter to a UTC hour. A day on which daylight-saving time changes has 23 or 25 hours.
 */
export function localHours(
  geography: Geography,
  from: Temporal.Instant,
  to: Temporal.Instant,
  schedule: Schedule,
  used: readonly Sql[],
): Sql {
  const quarters = Math.round(from.until(to).total('minutes') / 15)
  const here = places.filter((place) => place.geography === geography)
  const all = [...new Set(here.map(({ zone }) => zone))]
    .map(hoursOf)
    .reduce((one, other) => sql`${one} UNION ALL ${other}`)
  return sql`
WITH quarters AS (
  SELECT toDateTime(${bind('UInt32', from.epochMilliseconds / 1000)}, 'UTC') + 900 * number AS starts_at
  FROM numbers(${bind('UInt32', quarters)})
)
${adding(needed(hourColumns(schedule), used), all)}`
}

const hourColumns = (schedule: Schedule): Columns => ({
  day: sql`toUInt32(local_day)`,
  hour_number: sql`toUInt32(intDiv(toUnixTimestamp(starts_at), 3600))`,
  ...blockOf(schedule, 'block'),
  ...blockOf(speedTestBlocks, 'speed_block'),
  load: busynessAt(sql`local_hour`),
  load_before: busynessAt(sql`local_hour + 23`),
  load_after: busynessAt(sql`local_hour + 1`),
})

type BlockName = 'block' | 'speed_block'

/** The block of a schedule that contains the hour: its number, its first hour and its length. */
function blockOf(schedule: Schedule, name: BlockName): Columns {
  const number = identifier(name)
  const hoursOfDay = bind('Array(UInt8)', schedule)
  return {
    [name]: sql`arrayLastIndex(hour -> hour <= local_hour, ${bind('Array(UInt8)', schedule.slice(0, -1))})`,
    [`${name}_begins`]: sql`${hoursOfDay}[${number}]`,
    [`${name}_hours`]: sql`${hoursOfDay}[${number} + 1] - ${identifier(`${name}_begins`)}`,
  }
}

/** True if an agent runs the test in this hour of the block. */
export const isHourOf = (test: string, block: BlockName): Sql =>
  sql`(local_hour = ${identifier(`${block}_begins`)}
    + ${hash(sql`line + day * 32 + ${identifier(block)}`, `hour of ${test}`)} % ${identifier(`${block}_hours`)})`

/** Steps of 15 minutes, because all UTC offsets are multiples of 15 minutes. */
const hoursOf = (zone: string): Sql => sql`
  SELECT ${bind('UInt8', zones.indexOf(zone) + 1)} AS zone, starts_at, toHour(starts_at, ${literal(zone)}) AS local_hour,
    toDate(starts_at, ${literal(zone)}) AS local_day, toDayOfWeek(starts_at, 0, ${literal(zone)}) AS weekday
  FROM quarters WHERE toMinute(starts_at, ${literal(zone)}) = 0`
