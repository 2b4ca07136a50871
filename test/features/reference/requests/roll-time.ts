import type { Dice } from '../../../faults/dice.ts'
import { firstDay, lastDay, quietDay } from '../dataset/calendar.ts'
import { secondText } from '../model/buckets.ts'
import { dayMs } from '../model/local-time.ts'
import type { Aggregation, MetricRequest } from '../model/request.ts'

const hourMs = 3_600_000

/** How long a range may be so that its points stay few enough, and how long a bucket is. */
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

/** A range around a local time that makes at most so many buckets. Relative ends are counted from the day of `now`. */
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
  // A range that ends now is years longer than the results.
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

/** One end on the quiet day, so that the hour of the day at which a test runs changes nothing. */
function relativeTime(dice: Dice, anchorMs: number, now: Temporal.Instant): MetricRequest['time'] {
  const today = Math.floor(now.epochMilliseconds / dayMs)
  const quiet = `-${today - quietDay} days`
  if (anchorMs < quietDay * dayMs) return { from: minuteText((firstDay - 2) * dayMs), to: quiet }
  return { from: quiet, to: dice.pick(['now', '+3 days', '-3 days', text((lastDay + 2) * dayMs)]) }
}

/** A range in which nothing was measured. */
export const quietTime = { from: '2020-08-09 00:00', to: '2020-08-09 23:59:59' }

const text = (localMs: number): string => secondText(localMs).replace('T', ' ')
const minuteText = (localMs: number): string => text(localMs).slice(0, 16)
const dayStart = (localMs: number): number => Math.floor(localMs / dayMs) * dayMs
