import { bind, identifier, join, literal, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import type { Aggregation } from '../../../catalog/aggregations.ts'
import { hoursOfWeek, type WeekHour } from '../../../catalog/local-window.ts'
import { bucketsAtMost, isChronological, periodAt, type LocalRange } from '../../../check/metric/periods.ts'
import { explainsPrefilter } from '../../../check/metric/point-statistics.ts'
import { clockSeries } from '../clock/clock-series.ts'
import { allowedHours, dependsOnClock } from '../clock/week.ts'
import { sideKeys, splitKey } from '../comparison/sides.ts'
import { isKept } from '../explained-prefilter.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { planKeys } from '../relative-to-plan.ts'
import { rankKeys } from './top-series.ts'

export const tooManyBuckets = 'the request would fill too many buckets'

/** For each point of a response, at most this many groups are filled: those of comparisons, plans and the prefilter. */
const groupsOfPoint = 8

/**
 * Returns the condition that a point has results: it is not an empty bucket, and the prefilter does not remove every row of it.
 * Returns null if all points of the request have results.
 */
export function hasResults(plan: Pick<MetricPlan, 'emptyBuckets' | 'include'>): Sql | null {
  const isKeptRow = identifier(isKept.name)
  if (plan.emptyBuckets !== true) return explainsPrefilter(plan) ? isKeptRow : null
  return explainsPrefilter(plan) ? sql`(is_found AND ${isKeptRow})` : sql`is_found`
}

/**
 * Adds a group without results for each bucket of the range in which a series has none. The columns of an added group have the
 * default values of their types: 0 and empty lists. A series without any group stays without groups.
 *
 * ClickHouse's WITH FILL adds each bucket between the first and the last to each group of a bucket: the series, the sides of a
 * comparison, and so on. The statement then removes the added buckets that no result of the series could be in, for example
 * hours outside the window.
 */
export function withEmptyBuckets(
  plan: MetricPlan,
  aggregation: Aggregation,
  points: Sql,
  pointsMax: number | null,
): Sql {
  const range = { from: Math.max(plan.from, plan.keptFrom ?? 0), to: plan.to }
  if (range.from > range.to) return sql`SELECT *, toUInt8(1) AS is_found FROM (\n${points}\n)`
  const { first, end, step } = bounds(aggregation, range)
  const splits = plan.splits.map((_, index) => splitKey(index))
  const others = [...rankKeys(plan), ...sideKeys(plan), ...planKeys(plan), ...(explainsPrefilter(plan) ? [isKept] : [])]
  // Without rows, WITH FILL adds every bucket. `is_series` is then 0.
  const series = [...splits, ...others.map(({ name }) => identifier(name)), sql`is_series`]
  const count = numberLiteral(bucketsAtMost(aggregation, range))
  const guard =
    pointsMax === null
      ? sql``
      : sql`
WHERE throwIf(series_count * ${count} > ${bind('UInt64', pointsMax * groupsOfPoint)}, ${literal(tooManyBuckets)}) = 0`
  return sql`SELECT * FROM (
SELECT * FROM (
SELECT *, uniqExact(${join(series, ', ')}) OVER () AS series_count FROM (
SELECT *, materialize(toUInt8(1)) AS is_found, materialize(toUInt8(1)) AS is_series FROM (
${points}
)
)
)${guard}
ORDER BY ${join(series, ', ')}, bucket WITH FILL FROM ${first} TO ${end} STEP ${step}
)
WHERE is_series AND (is_found OR ${exists(plan, aggregation, range, splits)})`
}

type Bounds = { readonly first: Sql; readonly end: Sql; readonly step: Sql }

const daySeconds = 86_400

/** Returns the first bucket, a value after the last bucket and before the next one, and the distance of two buckets. */
function bounds(aggregation: Aggregation, { from, to }: LocalRange): Bounds {
  if (!isChronological(aggregation)) {
    const [first, last] = elementsOf(aggregation)
    return { first: element(first), end: element(last + 1), step: sql`1` }
  }
  const start = periodAt(aggregation, from).from
  // A `Date` cannot be before 1970, in which the first week and the first quarter begin.
  const first = start < 0 ? periodAt(aggregation, from).to + 1 : start
  const last = periodAt(aggregation, to).from
  if (aggregation.hours !== null) {
    return { first: time(first), end: time(last + 1), step: numberLiteral(aggregation.hours * 3_600) }
  }
  const step = steps[aggregation.key] ?? sql`INTERVAL 1 DAY`
  return { first: date(first / daySeconds), end: date(last / daySeconds + 1), step }
}

const element = (value: number): Sql => sql`toUInt8(${numberLiteral(value)})`
const time = (second: number): Sql => sql`toDateTime(${numberLiteral(second)}, 'UTC')`
const date = (day: number): Sql => sql`toDate(${numberLiteral(day)})`

const steps: Partial<Record<Aggregation['key'], Sql>> = {
  weekly: sql`INTERVAL 1 WEEK`,
  monthly: sql`INTERVAL 1 MONTH`,
  quarterly: sql`INTERVAL 3 MONTH`,
}

const elementsOf = ({ key }: Aggregation): readonly [first: number, last: number] =>
  key === 'hour_of_day' ? [0, 23] : [1, key === 'day_of_week' ? 7 : 31]

/** Returns the condition that the range contains a moment that is in the bucket and whose results would be in the series. */
function exists(plan: MetricPlan, aggregation: Aggregation, range: LocalRange, splits: readonly Sql[]): Sql {
  if (isChronological(aggregation) && !dependsOnClock(plan)) return sql`1`
  const series = clockSeries(plan, splits)
  const allowed = new Set(allowedHours(plan))
  const seriesWith = (hours: Iterable<WeekHour>): number[] => {
    const found = new Set([...hours].filter((hour) => allowed.has(hour)).map(series.at))
    return Array.from({ length: series.count }, (_, place) => Number(found.has(place)))
  }
  const classes = isChronological(aggregation)
    ? classesOfPeriods(aggregation, range)
    : classesOfElements(aggregation, range)
  const table = bind('Array(Array(UInt8))', classes.hours.map(seriesWith))
  return sql`${table}[${classes.ofBucket}][${series.added(numberLiteral(1 - series.offset), 1)}]`
}

/** Buckets of one class contain the same hours of the week. `ofBucket` is the number of the class of a bucket, from 1 on. */
type Classes = { readonly hours: readonly Iterable<WeekHour>[]; readonly ofBucket: Sql }

/** The first and the last period can be in the range only in part, so each of them is a class of its own. */
function classesOfPeriods(aggregation: Aggregation, range: LocalRange): Classes {
  const [first, last] = [periodAt(aggregation, range.from), periodAt(aggregation, range.to)]
  const inside = (period: LocalRange) =>
    hoursBetween({ from: Math.max(period.from, range.from), to: Math.min(period.to, range.to) })
  const { first: start } = bounds(aggregation, range)
  const { first: end } = bounds(aggregation, { from: last.from, to: last.to })
  const { hours, ofBucket } = classesOfWholePeriods(aggregation)
  return {
    hours: [inside(first), inside(last), ...hours],
    ofBucket: sql`multiIf(bucket = ${start}, 1, bucket = ${end}, 2, 3 + ${ofBucket})`,
  }
}

/** `ofBucket` is from 0 on. */
function classesOfWholePeriods({ key, hours }: Aggregation): Classes {
  if (hours === null) {
    if (key !== 'daily') return { hours: [hoursOfWeek], ofBucket: sql`0` }
    const days = Array.from({ length: 7 }, (_, day) => hoursOfWeek.slice(24 * day, 24 * day + 24))
    return { hours: days, ofBucket: sql`toDayOfWeek(bucket) - 1` }
  }
  const parts = Array.from({ length: 168 / hours }, (_, part) => hoursOfWeek.slice(hours * part, hours * part + hours))
  const ofBucket = sql`intDiv((toDayOfWeek(bucket) - 1) * 24 + toHour(bucket), ${numberLiteral(hours)})`
  return { hours: parts, ofBucket }
}

function classesOfElements(aggregation: Aggregation, range: LocalRange): Classes {
  const [first, last] = elementsOf(aggregation)
  const hours = Array.from({ length: last - first + 1 }, () => new Set<WeekHour>())
  if (aggregation.key === 'day_of_month') {
    for (let day = Math.floor(range.from / daySeconds); day * daySeconds <= range.to; day += 1) {
      const { from, to } = { from: day * daySeconds, to: (day + 1) * daySeconds - 1 }
      const ofDay = hoursBetween({ from: Math.max(from, range.from), to: Math.min(to, range.to) })
      const dayOfMonth = Temporal.PlainDate.from('1970-01-01').add({ days: day }).day
      for (const hour of ofDay) hours[dayOfMonth - first]?.add(hour)
    }
  } else {
    for (const hour of hoursBetween(range)) {
      hours[(aggregation.key === 'hour_of_day' ? hour.hour : hour.weekday) - first]?.add(hour)
    }
  }
  return { hours, ofBucket: first === 0 ? sql`bucket + 1` : sql`bucket` }
}

/** Returns the hours of the week that a range contains. */
function hoursBetween({ from, to }: LocalRange): readonly WeekHour[] {
  const [first, last] = [Math.floor(from / 3_600), Math.floor(to / 3_600)]
  // 1970-01-01 was a Thursday.
  return Array.from(
    { length: Math.min(last - first + 1, hoursOfWeek.length) },
    (_, index) => hoursOfWeek[(first + index + 3 * 24) % hoursOfWeek.length],
  ).flatMap((hour) => hour ?? [])
}
