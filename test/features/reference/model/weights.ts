import type { Hours } from './buckets.ts'
import { dayMs } from './local-time.ts'
import type { Rules } from './rules.ts'
import type { Sample } from './select.ts'

const hourMs = 3_600_000

/** A weight as a fraction of whole numbers, so that percentiles can be exact. */
export type Weight = { hours: number; rows: number }

/** Each block counts by its hours inside the bucket, however many results fell in it. */
export function weightsOf(
  samples: readonly Sample[],
  blocks: readonly number[],
  bucket: Hours,
  rules: Rules,
): Weight[] {
  const counted = rules.weights === 'of whole blocks' ? { from: 0, to: 24 } : bucket
  const places = samples.map(({ located }) => {
    const hour = Math.floor((located.localMs - Math.floor(located.localMs / dayMs) * dayMs) / hourMs)
    return blocks.findLastIndex((from) => from <= hour)
  })
  const rows = Map.groupBy(places, (place) => place)
  return places.map((place) => ({
    hours: hoursInside({ from: blocks[place] ?? 0, to: blocks[place + 1] ?? 24 }, counted),
    rows: rows.get(place)?.length ?? 0,
  }))
}

const hoursInside = (block: Hours, bucket: Hours): number =>
  Math.min(block.to, bucket.to) - Math.max(block.from, bucket.from)
