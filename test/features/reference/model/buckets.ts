import { dayMs } from './local-time.ts'
import type { Aggregation } from './request.ts'
import type { Rules } from './rules.ts'

const hourMs = 3_600_000

const hoursPerBucket: Partial<Record<Aggregation, number>> = { hourly: 1, two_hourly: 2, four_hourly: 4, six_hourly: 6 }

/** The hours of the day that a bucket covers. `to` is exclusive. */
export type Hours = { from: number; to: number; ofOneWeekday?: true }

export type Bucket = {
  /** The key is equal for equal buckets, and points are sorted by it. */
  key: string | number
  label: { dtime?: string; aggregatedNumber?: number }
  hours: Hours
  /** Only the buckets of the chronological aggregations are periods. */
  period?: Period
}

/** Local times in milliseconds since 1970. `untilMs` is the beginning of the next period. */
export type Period = { fromMs: number; untilMs: number }

const wholeDay: Hours = { from: 0, to: 24 }
/** All results of such a bucket are from the same day of the week. */
const oneDay: Hours = { ...wholeDay, ofOneWeekday: true }

const buckets = new Map<string, Map<number, Bucket>>()

/** The bucket of a local time. Cached by hour: all times within one hour are in the same bucket. */
export function bucketOf(localMs: number, aggregation: Aggregation, rules: Rules): Bucket {
  const kind = `${aggregation} ${rules.weekStartsOn}`
  const known = buckets.get(kind) ?? new Map<number, Bucket>()
  buckets.set(kind, known)
  const hour = Math.floor(localMs / hourMs)
  const bucket = known.get(hour) ?? bucketOfHour(hour, aggregation, rules)
  known.set(hour, bucket)
  return bucket
}

/** Computes the bucket of an hour by arithmetic on local time. */
function bucketOfHour(hourNumber: number, aggregation: Aggregation, rules: Rules): Bucket {
  if (aggregation === 'total') return { key: 0, label: {}, hours: wholeDay }
  const day = Math.floor((hourNumber * hourMs) / dayMs)
  const hour = hourNumber - (day * dayMs) / hourMs
  if (aggregation === 'hour_of_day') return numbered(hour, { from: hour, to: hour + 1 })
  const date = new Temporal.PlainDate(1970, 1, 1).add({ days: day })
  if (aggregation === 'day_of_week') return numbered(date.dayOfWeek, oneDay)
  if (aggregation === 'day_of_month') return numbered(date.day, wholeDay)
  const width = hoursPerBucket[aggregation]
  if (width === undefined) {
    const start = startOf(date, aggregation, rules)
    const end = start.add(lengths[aggregation] ?? { days: 1 })
    const hours = aggregation === 'daily' ? oneDay : wholeDay
    return dated(start.toString(), hours, { fromMs: utcMs(start), untilMs: utcMs(end) })
  }
  const from = Math.floor(hour / width) * width
  const fromMs = day * dayMs + from * hourMs
  const period = { fromMs, untilMs: fromMs + width * hourMs }
  return dated(`${date}T${String(from).padStart(2, '0')}:00:00`, { from, to: from + width, ofOneWeekday: true }, period)
}

const ofRanges = new Map<string, Bucket[]>()

/**
 * The buckets of a range, also those without results. `open` are the hours of the week in which there can be results. Cached,
 * because the range of many series is the same.
 */
export function bucketsIn(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  aggregation: Aggregation,
  open: readonly number[],
  rules: Rules,
): readonly Bucket[] {
  const name = [fromMs, toMs, aggregation, rules.weekStartsOn, ...open].join()
  const known = ofRanges.get(name)
  if (known !== undefined) return known
  const hoursOfWeek = new Set(open.map(hourOfWeek))
  const found = new Map<Bucket['key'], Bucket>()
  for (let ms = Math.floor(fromMs / hourMs) * hourMs; ms <= toMs; ms += hourMs) {
    const bucket = bucketOf(ms, aggregation, rules)
    if (hoursOfWeek.has(hourOfWeek(ms))) found.set(bucket.key, bucket)
  }
  ofRanges.set(name, [...found.values()])
  return [...found.values()]
}

const hourOfWeek = (localMs: number): number => Math.floor(localMs / hourMs) % 168

const numbered = (aggregatedNumber: number, hours: Hours): Bucket => ({
  key: aggregatedNumber,
  label: { aggregatedNumber },
  hours,
})

const dated = (dtime: string, hours: Hours, period: Period): Bucket => ({
  key: dtime,
  label: { dtime },
  hours,
  period,
})

const lengths: Partial<Record<Aggregation, Temporal.DurationLike>> = {
  weekly: { days: 7 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
}

const utcMs = (date: Temporal.PlainDate): number => date.toZonedDateTime('UTC').epochMilliseconds

function startOf(date: Temporal.PlainDate, aggregation: Aggregation, rules: Rules): Temporal.PlainDate {
  if (aggregation === 'weekly')
    return date.subtract({ days: rules.weekStartsOn === 'Monday' ? date.dayOfWeek - 1 : date.dayOfWeek % 7 })
  if (aggregation === 'monthly') return date.with({ day: 1 })
  if (aggregation === 'quarterly') return date.with({ day: 1, month: Math.floor((date.month - 1) / 3) * 3 + 1 })
  return date
}

/** `YYYY-MM-DDTHH:MM:SS` of a local time, truncated to the second. */
export const secondText = (localMs: number): string => new Date(localMs).toISOString().slice(0, 19)
