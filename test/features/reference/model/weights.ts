import type { Hours } from './buckets.ts'
import { hourAt, hoursOfSeries, weekdayAt } from './clock.ts'
import type { MetricRequest } from './request.ts'
import type { Rules } from './rules.ts'
import type { Sample } from './select.ts'

/** A weight as a fraction of two integers, so that percentiles can be computed exactly. */
export type Weight = { hours: number; rows: number }

/** A weight and the block to which it belongs. */
export type BlockWeight = Weight & { block: number }

/**
 * The weights of the samples of a point. The weight of a block is the number of its hours inside the bucket that can have
 * results in the series. It does not depend on the number of results in the block. The hours are those of a week, of which a
 * bucket can be one day. If all days of the week have the same hours, the weights have the same proportions as by the hours of
 * a day.
 */
export function weightsOf(
  samples: readonly Sample[],
  blocks: readonly number[],
  bucket: Hours,
  request: MetricRequest,
  rules: Rules,
): BlockWeight[] {
  const counted = rules.weights === 'of whole blocks' ? { from: 0, to: 24 } : bucket
  const blockAt = (localMs: number): number => blocks.findLastIndex((from) => from <= hourAt(localMs))
  const places = samples.map(({ located }) => blockAt(located.localMs))
  const rows = Map.groupBy(places, (place) => place)
  const anyMs = samples[0]?.located.localMs ?? 0
  const asked =
    rules.hoursOfBlocks === 'that are kept' ? request : { ...request, window: undefined, filters: [], splits: [] }
  const hours = hoursOfSeries(anyMs, asked as MetricRequest, rules).filter(
    (at) =>
      hourAt(at) >= counted.from &&
      hourAt(at) < counted.to &&
      (bucket.ofOneWeekday !== true || weekdayAt(at) === weekdayAt(anyMs)),
  )
  const hoursOf = Map.groupBy(hours, blockAt)
  return places.map((place) => ({
    hours: hoursOf.get(place)?.length ?? 0,
    rows: rows.get(place)?.length ?? 0,
    block: place,
  }))
}
