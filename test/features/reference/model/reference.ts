import { agentPointOf, isAboutAgents } from './agent-points.ts'
import { adjusted } from './comparison/adjust.ts'
import { comparisonsOf, type ComparisonOf } from './comparison/base.ts'
import { bucketOf, secondText, type Bucket } from './buckets.ts'
import { windowsOf } from './clock.ts'
import { valueOf } from './dimensions.ts'
import type { Cell, Dataset } from './facts.ts'
import { dayMs } from './local-time.ts'
import { metrics } from './metrics.ts'
import { coverageOf } from './inclusions/coverage.ts'
import { effectOf } from './inclusions/explained-prefilter.ts'
import { filled } from './presets.ts'
import { relativeSamples } from './plans.ts'
import { includes, type Asked, type Data, type MetricRequest, type Point } from './request.ts'
import { rightRules, type Rules } from './rules.ts'
import { explainsPrefilter, isKept, isPartial, rangeOf, samplesOf, type Range, type Sample } from './select.ts'
import { statisticsOf } from './statistics.ts'

/**
 * The expected response of POST /metric_data. A simple implementation computes it in memory from the specification
 * alone, without any code of the service. If the service and this implementation differ, one of them is wrong.
 */
export function reference(dataset: Dataset, given: Asked, rules: Rules = rightRules): Data {
  const asked = { ...given, request: filled(given.request) }
  const { samples, withoutPlan } = relativeSamples(dataset, samplesOf(dataset, asked, rules), asked.request, rules)
  if (asked.request.chartType === 'raw') return [{ metricData: rawPoints(dataset, samples, asked.request, rules) }]
  const range = rangeOf(dataset, asked, rules)
  if (range === null) return [{ metricData: [] }]
  const comparisonOf = comparisonsOf(dataset, asked, samples, range, rules)
  return adjusted(groupsOf(samples, withoutPlan, asked.request, range, comparisonOf, rules), asked, rules)
}

/** The raw points, in the order of panel, UTC day, agent and time. */
function rawPoints({ numbers }: Dataset, samples: Sample[], request: MetricRequest, rules: Rules): Point[] {
  const { splits = [] } = request
  const { peak } = windowsOf(request, rules)
  const place = ({ located: { result } }: Sample): number[] => [
    numbers.panels.get(result.panel) ?? NaN,
    Math.floor(result.endedAt / dayMs),
    numbers.agents.get(result.agent.id) ?? NaN,
    result.endedAt,
  ]
  return samples
    .map((sample) => ({ sample, place: place(sample) }))
    .toSorted((one, other) => compareLists(one.place, other.place, (left, right) => left - right))
    .map(({ sample: { located, value, matched } }) => ({
      metricValue: value,
      dtime: secondText(located.localMs),
      agent: located.result.agent.id,
      unit: valueOf('unit', located),
      ...Object.fromEntries(splits.map((split) => [split, valueOf(split, located, peak)])),
      ...(explainsPrefilter(request) ? { removedBy: rules.removedBy === 'all' ? matched : matched.slice(0, 1) } : {}),
    }))
}

/** One object for each combination of split values, sorted by these values. */
function groupsOf(
  samples: Sample[],
  withoutPlan: Sample[],
  request: MetricRequest,
  range: Range,
  comparisonOf: ComparisonOf,
  rules: Rules,
): Data {
  const { splits = [] } = request
  const { peak } = windowsOf(request, rules)
  const keyOf = ({ located }: Sample): string => JSON.stringify(splits.map((id) => valueOf(id, located, peak)))
  const groups = [...Map.groupBy(samples, keyOf)]
  const unplanned = Map.groupBy(withoutPlan, keyOf)
  if (groups.length === 0) return [{ metricData: [] }]
  return groups
    .map(([key, members]) => ({ values: JSON.parse(key) as Cell[], members, left: unplanned.get(key) ?? [] }))
    .toSorted((one, other) => compareLists(one.values, other.values, (left, right) => compareCells(left, right, rules)))
    .map(({ values, members, left }) => ({
      metricData: pointsOf(members, left, request, range, comparisonOf, rules).map((point) => ({
        ...point,
        ...Object.fromEntries(splits.map((split, index) => [split, values[index]])),
      })),
    }))
}

function pointsOf(
  samples: Sample[],
  withoutPlan: Sample[],
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
    .filter(({ members }) => rules.emptiedPoints === 'stay' || members.some(isKept))
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

const compareKeys = (one: Bucket['key'], other: Bucket['key']): number => (one < other ? -1 : one > other ? 1 : 0)

function compareLists<Item>(one: Item[], other: Item[], compare: (one: Item, other: Item) => number): number {
  const differing = one.findIndex((item, index) => compare(item, other[index] as Item) !== 0)
  return differing === -1 ? 0 : compare(one[differing] as Item, other[differing] as Item)
}

/** The order of split values: numbers by value, text by bytes, null last. */
function compareCells(one: Cell, other: Cell, rules: Rules): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [left, right] = [String(one), String(other)]
  return rules.textOrder === 'bytes' ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : compareKeys(left, right)
}
