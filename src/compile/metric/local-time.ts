import { bind, literal, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import type { ZoneOffsets } from './zone-offsets.ts'

/** A name given to an expression over a row. */
export type Alias = { readonly name: string; readonly value: Sql }

export const unknownZone = 'a time zone of an agent is not known to this copy of the service'

/**
 * `local_second`: seconds of the agent's wall clock. The offset is a constant table plus corrections for the changes of the
 * clocks inside the range; `zone` must be the number of the zone in force for the row.
 */
export function localTime({ atStart, rule, transitions, unknown }: ZoneOffsets): readonly Alias[] {
  // Of an unknown zone no offset is right; whoever has no results in one is not concerned.
  const guard =
    unknown.length === 0 ? sql`` : sql` + throwIf(zone IN ${bind('Array(UInt16)', unknown)}, ${literal(unknownZone)})`
  const start = sql`${bind('Array(Int32)', atStart)}[zone + 1]${guard}`
  return [
    { name: 'utc_second', value: sql`toUnixTimestamp(dtime)` },
    ...(transitions.length === 0 ? [] : [{ name: 'zone_rule', value: sql`${bind('Array(UInt16)', rule)}[zone + 1]` }]),
    { name: 'local_second', value: sql`utc_second + ${start}${corrections(transitions)}` },
  ]
}

/**
 * A term for each change is fastest, but the engine writes `zone_rule` out wherever it stands: for ranges of years that
 * would be most of the time of a query. Those go through lists instead.
 */
function corrections(transitions: ZoneOffsets['transitions']): Sql {
  if (transitions.length > 2) {
    const lists = (of: 'from' | 'by') =>
      transitions[0]?.[of].map((_, index) => transitions.map((one) => one[of][index]))
    return sql` + arraySum((f, b) -> if(utc_second >= f, b, 0), ${bind('Array(Array(UInt32))', lists('from'))}[zone_rule], ${bind('Array(Array(Int32))', lists('by'))}[zone_rule])`
  }
  return transitions.reduce(
    (sum, { from, by }) =>
      sql`${sum} + if(utc_second >= ${bind('Array(UInt32)', from)}[zone_rule], ${bind('Array(Int32)', by)}[zone_rule], 0)`,
    sql``,
  )
}

/** The day of a row by its agent's clock. */
export const localDate = sql`toDate(toUInt16(intDiv(local_second, 86400)))`

const bucketOfHours = (seconds: Sql): Sql => sql`toDateTime(intDiv(local_second, ${seconds}) * ${seconds}, 'UTC')`

type DayAggregation = Extract<Aggregation, { hours: null }>['key']

/** Buckets that hold whole days, by the day. */
const dayBuckets: Record<DayAggregation, (day: Sql) => Sql> = {
  daily: (day) => day,
  weekly: (day) => sql`toMonday(${day})`,
  monthly: (day) => sql`toStartOfMonth(${day})`,
  quarterly: (day) => sql`toStartOfQuarter(${day})`,
  day_of_week: (day) => sql`toDayOfWeek(${day})`,
  day_of_month: (day) => sql`toDayOfMonth(${day})`,
  total: () => sql`toUInt8(0)`,
}

const hourBuckets: Record<Exclude<Aggregation['key'], DayAggregation>, Sql> = {
  hourly: bucketOfHours(sql`3600`),
  two_hourly: bucketOfHours(sql`7200`),
  four_hourly: bucketOfHours(sql`14400`),
  six_hourly: bucketOfHours(sql`21600`),
  hour_of_day: sql`toUInt8(intDiv(local_second % 86400, 3600))`,
}

/** The bucket a row falls into. Wall-clock arithmetic: the hour that an autumn night repeats is one bucket. */
export const bucketOf = (aggregation: Aggregation): Sql =>
  aggregation.hours === null ? dayBuckets[aggregation.key](localDate) : hourBuckets[aggregation.key]

/** The same for a day; null where a bucket is shorter than one. */
export const bucketOfDay = (aggregation: Aggregation, day: Sql): Sql | null =>
  aggregation.hours === null ? dayBuckets[aggregation.key](day) : null

export const wallClockText = (time: Sql): Sql => sql`formatDateTime(${time}, '%Y-%m-%dT%H:%i:%S')`

/** How a point shows its bucket; null when it does not. */
export function bucketLabel({ label }: Aggregation): { name: 'dtime' | 'aggregatedNumber'; value: Sql } | null {
  if (label === 'none') return null
  if (label === 'number') return { name: 'aggregatedNumber', value: sql`bucket` }
  return { name: 'dtime', value: label === 'time' ? wallClockText(sql`bucket`) : sql`toString(bucket)` }
}
