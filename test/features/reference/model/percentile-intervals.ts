import { agentError } from './intervals.ts'
import { leaveOneOut } from './jackknife.ts'
import { levelsOf, percentile } from './percentiles.ts'
import type { MetricRequest } from './request.ts'
import type { Rules } from './rules.ts'
import type { Sample } from './select.ts'
import { tQuantile } from './t-quantiles.ts'

type Range = [number | null, number | null]

const level = 0.95

/**
 * Woodruff's intervals of the percentiles: the interval of the share of results at or below the percentile, mapped back
 * through the percentiles of the sample. A side that is not between 0 and 1 is null.
 */
export function percentileIntervals(
  samples: readonly Sample[],
  request: MetricRequest,
  rules: Rules,
): Record<string, Range> {
  const sorted = samples.map(({ value }) => value).toSorted((one, other) => one - other)
  return Object.fromEntries(levelsOf(request).map((key) => [String(key), rangeOf(samples, sorted, key, rules)]))
}

function rangeOf(samples: readonly Sample[], sorted: readonly number[], key: number, rules: Rules): Range {
  const found = percentile(sorted, key)
  const entries = samples.map(({ value, located }) => ({
    agent: located.result.agent,
    block: 0,
    hours: 1,
    y: value <= found ? 1n : 0n,
    x: 1n,
  }))
  const { standardError, degreesOfFreedom } = agentError(leaveOneOut(entries, rules), rules)
  const reached = samples.filter(({ value }) => value <= found).length / samples.length
  const middle = rules.percentileIntervals === 'around the level' ? key / 100 : reached
  const half = tQuantile(level, degreesOfFreedom) * standardError
  return [quantile(sorted, middle - half), quantile(sorted, middle + half)]
}

/** The percentile of type 7 at any share between 0 and 1. */
function quantile(sorted: readonly number[], share: number): number | null {
  if (share <= 0 || share >= 1) return null
  const place = (sorted.length - 1) * share
  const least = sorted[Math.floor(place)] ?? NaN
  return least + (place % 1) * ((sorted[Math.ceil(place)] ?? NaN) - least)
}
