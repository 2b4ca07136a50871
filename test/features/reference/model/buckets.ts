import { dayMs } from './local-time.ts'
import type { Aggregation } from './request.ts'
import type { Rules } from './rules.ts'

const hourMs = 3_600_000

const hoursPerBucket: Partial<Record<Aggregation, number>> = { hourly: 1, two_hourly: 2, four_hourly: 4, six_hourly: 6 }

/** Hours of the day a bucket covers, from and up to. */
export type Hours = { from: number; to: number }

export type Bucket = {
  /** Equal for equal buckets; sorts as the points do. */
  key: string | number
  label: { dtime?: string; aggregatedNumber?: number }
  hours: Hours
}

const wholeDay: Hours = { from: 0, to: 24 }

const buckets = new Map<string, Map<number, Bucket>>()

/** The bucket of a local time. All of an hour are in the same one, and are worked out once. */
export function bucketOf(localMs: number, aggregation: Aggregation, rules: Rules): Bucket {
  const kind = `${aggregation} ${rules.weekStartsOn}`
  const known = buckets.get(kind) ?? new Map<number, Bucket>()
  buckets.set(kind, known)
  const hour = Math.floor(localMs / hourMs)
  const bucket = known.get(hour) ?? bucketOfHour(hour, aggregation, rules)
  known.set(hour, bucket)
  return bucket
}

/** Arithmetic on the wall clock alone. */
function bucketOfHour(hourNumber: number, aggregation: Aggregation, rules: Rules): Bucket {
  if (aggregation === 'total') return { key: 0, label: {}, hours: wholeDay }
  const day = Math.floor((hourNumber * hourMs) / dayMs)
  const hour = hourNumber - (day * dayMs) / hourMs
  if (aggregation === 'hour_of_day') return numbered(hour, { from: hour, to: hour + 1 })
  const date = new Temporal.PlainDate(1970, 1, 1).add({ days: day })
  if (aggregation === 'day_of_week') return numbered(date.dayOfWeek, wholeDay)
  if (aggregation === 'day_of_month') return numbered(date.day, wholeDay)
  const width = hoursPerBucket[aggregation]
  if (width === undefined) return dated(startOf(date, aggregation, rules).toString(), wholeDay)
  const from = Math.floor(hour / width) * width
  return dated(`${date}T${String(from).padStart(2, '0')}:00:00`, { from, to: from + width })
}

const numbered = (aggregatedNumber: number, hours: Hours): Bucket => ({
  key: aggregatedNumber,
  label: { aggregatedNumber },
  hours,
})

const dated = (dtime: string, hours: Hours): Bucket => ({ key: dtime, label: { dtime }, hours })

function startOf(date: Temporal.PlainDate, aggregation: Aggregation, rules: Rules): Temporal.PlainDate {
  if (aggregation === 'weekly')
    return date.subtract({ days: rules.weekStartsOn === 'Monday' ? date.dayOfWeek - 1 : date.dayOfWeek % 7 })
  if (aggregation === 'monthly') return date.with({ day: 1 })
  if (aggregation === 'quarterly') return date.with({ day: 1, month: Math.floor((date.month - 1) / 3) * 3 + 1 })
  return date
}

/** `YYYY-MM-DDTHH:MM:SS` of a local time, cut to the second. */
export const secondText = (localMs: number): string => new Date(localMs).toISOString().slice(0, 19)
