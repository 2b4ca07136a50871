import type { Point } from '../api/metric-data.ts'
import type { Aggregation } from '../explore/aggregations.ts'

/**
 * The label of a point as a number. A time is in seconds of local time, interpreted as UTC so that the browser's time zone does
 * not shift it. An hour, weekday or day is the number itself.
 */
export function bucketOf({ dtime, aggregatedNumber }: Point): number {
  if (aggregatedNumber !== undefined) return aggregatedNumber
  if (dtime === undefined) return 0
  return Date.parse(dtime.length === 10 ? `${dtime}T00:00:00Z` : `${dtime}Z`) / 1000
}

const hours: Partial<Record<Aggregation['key'], number>> = {
  hourly: 1,
  two_hourly: 2,
  four_hourly: 4,
  six_hourly: 6,
  daily: 24,
  weekly: 168,
}
const months: Partial<Record<Aggregation['key'], number>> = { monthly: 1, quarterly: 3 }

function nextBucket(bucket: number, { key }: Aggregation): number {
  const step = months[key]
  if (step === undefined) return bucket + (hours[key] === undefined ? 1 : hours[key] * 3600)
  const day = new Date(bucket * 1000)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + step, 1) / 1000
}

/** Maximum number of buckets. With more of them, a gap is too narrow to see. */
const bucketsMax = 50_000

/** Returns every bucket from the first to the last, including buckets without results, because a line must break there. */
export function allBuckets(found: Iterable<number>, aggregation: Aggregation): number[] {
  const sorted = [...new Set(found)].toSorted((one, other) => one - other)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return []
  const all = [first]
  for (let bucket = first; bucket < last && all.length < bucketsMax; all.push(bucket)) {
    bucket = nextBucket(bucket, aggregation)
  }
  // Labels that match no bucket would be lost. The service sends none, but the drawing must not depend on that.
  return new Set(sorted).isSubsetOf(new Set(all)) ? all : sorted
}
