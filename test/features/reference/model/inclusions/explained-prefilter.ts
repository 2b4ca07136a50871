import type { Hours } from '../buckets.ts'
import type { Metric } from '../metrics.ts'
import { prefilterOf } from '../prefilter.ts'
import { scaleBefore, type MetricRequest, type Point } from '../request.ts'
import type { Rules } from '../rules.ts'
import { isKept, type Sample } from '../select.ts'
import { valueOfPoint } from '../statistics.ts'

/**
 * The member `prefilter` of a point, and the scale of the point with it. `samples` are all samples of the point, also
 * those that the prefilter excludes.
 */
export function effectOf(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  bucket: Hours,
  rules: Rules,
): Point {
  const kept = samples.filter(isKept)
  const asValue = rules.unfilteredValue === 'as the value' ? request : { ...request, normalised: false }
  const prefilter = {
    before: samples.length,
    removed: samples.length - kept.length,
    unfilteredValue: samples.length === 0 ? null : valueOfPoint(samples, metric, asValue, bucket, rules),
    agentsLost: rules.agentsLost === 'without results' ? countLost(samples, kept) : agents(samples.filter(isOut)).size,
    rules: prefilterOf(request.metric, rules).map(({ name, version }) => ({
      name,
      version,
      matched: samples.filter(({ matched }) => matched.includes(name)).length,
      alone: samples.filter((sample) => isAlone(sample, name, rules)).length,
    })),
  }
  return { prefilter, [scaleBefore]: greatest(samples) }
}

const greatest = (samples: readonly Sample[]): number =>
  samples.reduce((most, { value }) => Math.max(most, Math.abs(value)), 0)

const isOut = (sample: Sample): boolean => !isKept(sample)

const agents = (samples: readonly Sample[]): Set<unknown> => new Set(samples.map(({ located }) => located.result.agent))

const countLost = (samples: readonly Sample[], kept: readonly Sample[]): number =>
  agents(samples).difference(agents(kept)).size

function isAlone({ matched }: Sample, name: string, rules: Rules): boolean {
  if (rules.alone === 'as matched') return matched.includes(name)
  if (rules.alone === 'first of the list') return matched[0] === name
  return matched.length === 1 && matched[0] === name
}
