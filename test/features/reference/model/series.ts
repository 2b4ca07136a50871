import { agentPointOf, isAboutAgents } from './agent-points.ts'
import { bucketOf, bucketsIn, type Bucket } from './buckets.ts'
import { compareKeys } from './cells.ts'
import type { ComparisonOf } from './comparison/base.ts'
import { coverageOf } from './inclusions/coverage.ts'
import { effectOf } from './inclusions/explained-prefilter.ts'
import { hoursOfSeries } from './clock.ts'
import { metrics } from './metrics.ts'
import { includes, type MetricRequest, type Point } from './request.ts'
import type { Rules } from './rules.ts'
import { explainsPrefilter, isKept, isPartial, type Range, type Sample } from './select.ts'
import { statisticsOf } from './statistics.ts'

/** What the points of a series are computed from. */
export type Members = { samples: Sample[]; withoutPlan: Sample[] }

/** The points of a series, ordered by their buckets. */
export function pointsOf(
  { samples, withoutPlan }: Members,
  request: MetricRequest,
  range: Range,
  comparisonOf: ComparisonOf,
  rules: Rules,
): Point[] {
  const { aggregation, metric: key } = request
  const metric = metrics[key]
  if (aggregation === undefined || metric === undefined) throw new Error('an aggregate needs both')
  const pointOf = isAboutAgents(request) ? agentPointOf : statisticsOf
  const buckets = new Map<Bucket['key'], { bucket: Bucket; members: Sample[] }>()
  for (const sample of samples) {
    const bucket = bucketOf(sample.located.localMs, aggregation, rules)
    const found = buckets.get(bucket.key)
    if (found === undefined) buckets.set(bucket.key, { bucket, members: [sample] })
    else found.members.push(sample)
  }
  const own = [...buckets.keys()].toSorted(compareKeys)
  const isBetween = (bucket: Bucket): boolean => bucket.key > (own[0] ?? 0) && bucket.key < (own.at(-1) ?? 0)
  const ofSeries =
    rules.emptyHours === 'that can match' ? request : { ...request, window: undefined, filters: [], splits: [] }
  const open = (): readonly number[] =>
    hoursOfSeries(samples[0]?.located.localMs ?? 0, ofSeries as MetricRequest, rules)
  for (const bucket of request.emptyBuckets === true ? bucketsIn(range, aggregation, open(), rules) : [])
    if (!buckets.has(bucket.key) && (rules.emptyBuckets === 'of the range' || isBetween(bucket)))
      buckets.set(bucket.key, { bucket, members: [] })
  const covered = (all: Sample[]): Sample[] => (rules.covered === 'kept results' ? all.filter(isKept) : all)
  const coverage = includes(request, 'coverage')
    ? coverageOf(covered(samples), metric, { ...request, aggregation }, rules)
    : null
  const unplanned = Map.groupBy(
    withoutPlan.filter(isKept),
    ({ located }) => bucketOf(located.localMs, aggregation, rules).key,
  )
  return [...buckets.values()]
    .toSorted((one, other) => compareKeys(one.bucket.key, other.bucket.key))
    .filter(({ members }) => rules.emptiedPoints === 'stay' || members.length === 0 || members.some(isKept))
    .map(({ bucket, members }) => ({
      ...bucket.label,
      ...pointOf(members.filter(isKept), metric, request, bucket.hours, rules),
      ...(explainsPrefilter(request) ? effectOf(members, metric, request, bucket.hours, rules) : {}),
      ...comparisonOf(bucket, members),
      ...(coverage === null ? {} : { coverage: coverage(bucket, covered(members)) }),
      ...(request.relativeTo === undefined ? {} : { resultsWithoutPlan: unplanned.get(bucket.key)?.length ?? 0 }),
      ...(bucket.period !== undefined && isPartial(bucket.period, range, rules) ? { partial: true } : {}),
    }))
}
