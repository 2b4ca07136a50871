import { bind, literal, named, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import type { LocalRange } from '../../check/metric/periods.ts'
import type { ZoneOffsets } from './clock/zone-offsets.ts'

export type Alias = { readonly name: string; readonly value: Sql }

export const unknownZone = 'this version of the service does not know the time zone of an agent'

/**
 * Defines `local_second`: the time on the agent's wall clock in seconds. The offset is the offset of the zone at the start of
 * the range, plus one correction for each clock change within the range. The query must define `zone`, the number of the row's
 * time zone.
 */
export function localTime({ atStart, rule, transitions, unknown }: ZoneOffsets): readonly Alias[] {
  // There is no correct offset for an unknown zone. The query fails only if it reads a row in an unknown zone.
  const guard =
    unknown.length === 0 ? sql`` : sql` + throwIf(z IN ${bind('Array(UInt16)', unknown)}, ${literal(unknownZone)})`
  const start = sql`${bind('Array(Int32)', atStart)}[z + 1]${guard}`
  const changes = corrections(transitions, sql`${bind('Array(UInt16)', rule)}[z + 1]`)
  return [
    { name: 'utc_second', value: sql`toUnixTimestamp(dtime)` },
    { name: 'local_second', value: named('z', sql`zone`, () => sql`utc_second + ${start}${changes}`) },
  ]
}

/** Adds up the corrections. One term per clock change is fastest for short ranges, and arrays for those of several years. */
function corrections(transitions: ZoneOffsets['transitions'], rule: Sql): Sql {
  if (transitions.length > 2) {
    const lists = (of: 'from' | 'by') =>
      transitions[0]?.[of].map((_, index) => transitions.map((one) => one[of][index]))
    return sql` + arraySum((f, b) -> if(utc_second >= f, b, 0), ${bind('Array(Array(UInt32))', lists('from'))}[${rule}], ${bind('Array(Array(Int32))', lists('by'))}[${rule}])`
  }
  return transitions.reduce(
    (sum, { from, by }) =>
      sql`${sum} + if(utc_second >= ${bind('Array(UInt32)', from)}[${rule}], ${bind('Array(Int32)', by)}[${rule}], 0)`,
    sql``,
  )
}

/** The day of a row on the agent's clock, as a number and as a date. */
export const localDay = sql`intDiv(local_second, 86400)`
export const localDate = sql`toDate(toUInt16(${localDay}))`

const bucketOfHours = (seconds: Sql): Sql => sql`toDateTime(intDiv(local_second, ${seconds}) * ${seconds}, 'UTC')`

type DayAggregation = Extract<Aggregation, { hours: null }>['key']

/** Computes the bucket of a day, for buckets of whole days. */
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

/**
 * The bucket of a row, by the agent's wall clock. When clocks are set back, one hour occurs twice, and both are in one bucket.
 */
export const bucketOf = (aggregation: Aggregation): Sql =>
  aggregation.hours === null ? dayBuckets[aggregation.key](localDate) : hourBuckets[aggregation.key]

/** The bucket of a day; null if buckets are shorter than a day. */
export const bucketOfDay = (aggregation: Aggregation, day: Sql): Sql | null =>
  aggregation.hours === null ? dayBuckets[aggregation.key](day) : null

export const wallClockText = (time: Sql): Sql => sql`formatDateTime(${time}, '%Y-%m-%dT%H:%i:%S')`

/** The column that shows the bucket of a point; null if points have no label. */
export function bucketLabel({ label }: Aggregation): { name: 'dtime' | 'aggregatedNumber'; value: Sql } | null {
  if (label === 'none') return null
  if (label === 'number') return { name: 'aggregatedNumber', value: sql`bucket` }
  return { name: 'dtime', value: label === 'time' ? wallClockText(sql`bucket`) : sql`toString(bucket)` }
}

/** True if the period of a bucket begins outside `whole`, the range of the whole periods. */
export function isPartial({ label }: Aggregation, whole: LocalRange): Sql {
  const start = label === 'time' ? sql`toUnixTimestamp(bucket)` : sql`toUInt16(bucket) * 86400`
  return sql`toBool(toInt64(${start}) NOT BETWEEN ${bind('Int64', whole.from)} AND ${bind('Int64', whole.to)})`
}
