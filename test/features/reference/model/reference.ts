import { bucketOf, secondText, type Bucket } from './buckets.ts'
import { valueOf } from './dimensions.ts'
import type { Cell, Dataset } from './facts.ts'
import { dayMs } from './local-time.ts'
import { metrics } from './metrics.ts'
import type { Asked, Data, MetricRequest, Point } from './request.ts'
import { rightRules, type Rules } from './rules.ts'
import { samplesOf, type Sample } from './select.ts'
import { statisticsOf } from './statistics.ts'

/**
 * What POST /metric_data has to answer, worked out from the specification and the decisions alone: naive, in memory, and
 * without a line of the service's. Where the two differ, one of them is wrong.
 */
export function reference(dataset: Dataset, asked: Asked, rules: Rules = rightRules): Data {
  const samples = samplesOf(dataset, asked, rules)
  return asked.request.chartType === 'raw'
    ? [{ metricData: rawPoints(dataset, samples, asked.request) }]
    : groupsOf(samples, asked.request, rules)
}

/** By panel, UTC day, agent, time. */
function rawPoints({ numbers }: Dataset, samples: Sample[], { splits = [] }: MetricRequest): Point[] {
  const place = ({ located: { result } }: Sample): number[] => [
    numbers.panels.get(result.panel) ?? NaN,
    Math.floor(result.endedAt / dayMs),
    numbers.agents.get(result.agent.id) ?? NaN,
    result.endedAt,
  ]
  return samples
    .map((sample) => ({ sample, place: place(sample) }))
    .toSorted((one, other) => compareLists(one.place, other.place, (left, right) => left - right))
    .map(({ sample: { located, value } }) => ({
      metricValue: value,
      dtime: secondText(located.localMs),
      agent: located.result.agent.id,
      unit: valueOf('unit', located),
      ...Object.fromEntries(splits.map((split) => [split, valueOf(split, located)])),
    }))
}

/** One object for each combination of split values, in their order. */
function groupsOf(samples: Sample[], request: MetricRequest, rules: Rules): Data {
  const { splits = [] } = request
  const groups = [...Map.groupBy(samples, ({ located }) => JSON.stringify(splits.map((id) => valueOf(id, located))))]
  if (groups.length === 0) return [{ metricData: [] }]
  return groups
    .map(([key, members]) => ({ values: JSON.parse(key) as Cell[], members }))
    .toSorted((one, other) => compareLists(one.values, other.values, (left, right) => compareCells(left, right, rules)))
    .map(({ values, members }) => ({
      metricData: pointsOf(members, request, rules).map((point) => ({
        ...point,
        ...Object.fromEntries(splits.map((split, index) => [split, values[index]])),
      })),
    }))
}

function pointsOf(samples: Sample[], request: MetricRequest, rules: Rules): Point[] {
  const { aggregation, metric: key } = request
  const metric = metrics[key]
  if (aggregation === undefined || metric === undefined) throw new Error('an aggregate needs both')
  const buckets = new Map<Bucket['key'], { bucket: Bucket; members: Sample[] }>()
  for (const sample of samples) {
    const bucket = bucketOf(sample.located.localMs, aggregation, rules)
    const found = buckets.get(bucket.key)
    if (found === undefined) buckets.set(bucket.key, { bucket, members: [sample] })
    else found.members.push(sample)
  }
  return [...buckets.values()]
    .toSorted((one, other) => compareKeys(one.bucket.key, other.bucket.key))
    .map(({ bucket, members }) => ({
      ...bucket.label,
      ...statisticsOf(members, metric, request, bucket.hours, rules),
    }))
}

const compareKeys = (one: Bucket['key'], other: Bucket['key']): number => (one < other ? -1 : one > other ? 1 : 0)

function compareLists<Item>(one: Item[], other: Item[], compare: (one: Item, other: Item) => number): number {
  const differing = one.findIndex((item, index) => compare(item, other[index] as Item) !== 0)
  return differing === -1 ? 0 : compare(one[differing] as Item, other[differing] as Item)
}

/** Numbers numeric, text by bytes, null last. */
function compareCells(one: Cell, other: Cell, rules: Rules): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [left, right] = [String(one), String(other)]
  return rules.textOrder === 'bytes' ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : compareKeys(left, right)
}
