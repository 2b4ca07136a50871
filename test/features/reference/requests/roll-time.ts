import type { Dice } from '../../../faults/dice.ts'
import { firstDay, lastDay, quietDay } from '../dataset/calendar.ts'
import { secondText } from '../model/buckets.ts'
import { dayMs } from '../model/local-time.ts'
import type { Aggregation, MetricRequest } from '../model/request.ts'

const hourMs = 3_600_000

/**
 * The number of hours in a bucket. It limits the length of a range, so that the range does not have too many points.
 */
const hoursOfBucket: Partial<Record<Aggregation, number>> = {
  hourly: 1,
  two_hourly: 2,
  four_hourly: 4,
  six_hourly: 6,
  daily: 24,
  weekly: 168,
  monthly: 672,
  quarterly: 2160,
}
const bucketsOf: Partial<Record<Aggregation, number>> = { hour_of_day: 24, day_of_week: 7, day_of_month: 31, total: 1 }

const wholeRangeDays = lastDay - firstDay + 2

/** A range around a local time with at most `bucketsMax` buckets. Relative ends are counted from the day of `now`. */
export function rollTime(
  dice: Dice,
  anchorMs: number,
  aggregation: Aggregation | undefined,
  bucketsMax: number,
  now: Temporal.Instant,
): MetricRequest['time'] {
  const fixed = aggregation === undefined || bucketsOf[aggregation] !== undefined
  const bucketHours = (aggregation && hoursOfBucket[aggregation]) ?? 24
  const daysAllowed = fixed ? Infinity : (bucketsMax * bucketHours) / 24
  const daysMax = Math.min(wholeRangeDays, daysAllowed)
  const reachMs = Math.max(hourMs, dice.pick([daysMax, daysMax, daysMax / 4, 10, 1]) * dayMs)
  const longest = Math.min(reachMs, daysMax * dayMs) / 2
  const second = Math.floor(anchorMs / 1000) * 1000
  const before = second - dice.between(0, longest / 1000) * 1000
  const after = second + dice.between(0, longest / 1000) * 1000
  // A relative range can end years after the last result. So it is used only if the request may have that many buckets.
  const relative = daysAllowed >= 10 * wholeRangeDays ? relativeTime(dice, anchorMs, now) : undefined
  return dice.pick([
    { from: text(second), to: text(second) },
    { from: text(before), to: text(second) },
    { from: text(before), to: text(second) },
    { from: text(second), to: text(after) },
    { from: text(before), to: text(after) },
    { from: minuteText(before), to: minuteText(after + 60_000) },
    { from: minuteText(dayStart(before)), to: text(dayStart(after) + dayMs - 1000) },
    { from: minuteText(dayStart(before)), to: minuteText(dayStart(after) + dayMs) },
    ...(relative === undefined ? [] : [relative, relative, relative]),
  ])
}

/**
 * A range with one relative end, which is on the quiet day. That day has no results, so the time of day at which the
 * test runs does not change the response.
 */
function relativeTime(dice: Dice, anchorMs: number, now: Temporal.Instant): MetricRequest['time'] {
  const today = Math.floor(now.epochMilliseconds / dayMs)
  const quiet = `-${today - quietDay} days`
  if (anchorMs < quietDay * dayMs) return { from: minuteText((firstDay - 2) * dayMs), to: quiet }
  return { from: quiet, to: dice.pick(['now', '+3 days', '-3 days', text((lastDay + 2) * dayMs)]) }
}

/** A range without any result. */
export const quietTime = { from: '2020-08-09 00:00', to: '2020-08-09 23:59:59' }

const text = (localMs: number): string => secondText(localMs).replace('T', ' ')
const minuteText = (localMs: number): string => text(localMs).slice(0, 16)
const dayStart = (localMs: number): number => Math.floor(localMs / dayMs) * dayMs
