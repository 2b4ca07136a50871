import { bucketOf, type Bucket } from '../buckets.ts'
import { dayMs, type Located } from '../local-time.ts'
import type { Metric } from '../metrics.ts'
import { hourAt, hoursOfSeries, weekdayAt } from '../clock.ts'
import type { Aggregation, MetricRequest } from '../request.ts'
import type { Rules } from '../rules.ts'
import type { Sample } from '../select.ts'

const hourMs = 3_600_000

export type PointCoverage = {
  agentsOfRange: number
  agentsSeen: number
  agentsGone: number | null
  blocksSeen: number
  blocksExpected: number
  share: number | null
  lateShare: number | null
  newestStored: string | null
}

type Days = { first: number; last: number }

/**
 * Returns a function that computes the coverage of a point from its samples. `series` are the samples of all points with
 * the same split values.
 */
export function coverageOf(
  series: readonly Sample[],
  metric: Metric,
  request: MetricRequest & { aggregation: Aggregation },
  rules: Rules,
): (bucket: Bucket, samples: readonly Sample[]) => PointCoverage {
  const days = daysOfAgents(series, rules)
  const place: Place = { ...request, open: openHours(series, request, rules) }
  const expected = expectedBlocks([...days.values()], metric, place, rules)
  return (bucket, samples) => {
    const agentsSeen = new Set(samples.map(agentOf))
    const ofPoint = new Map([...days].filter(([agent]) => agentsSeen.has(agent)))
    const blocksSeen = seenBlocks(samples, metric, rules)
    const blocksExpected =
      (rules.expectedIn === 'its series' ? expected : expectedBlocks([...ofPoint.values()], metric, place, rules)).get(
        bucket.key,
      ) ?? 0
    const stored = samples.map(({ located }) => located.result.storedAt)
    return {
      agentsOfRange: days.size,
      agentsSeen: agentsSeen.size,
      agentsGone: bucket.period === undefined ? null : countGone(days, bucket.period.fromMs, rules),
      blocksSeen,
      blocksExpected,
      share: blocksExpected === 0 ? null : blocksSeen / blocksExpected,
      lateShare:
        samples.length === 0 ? null : samples.filter(({ located }) => isLate(located, rules)).length / samples.length,
      newestStored: stored.length === 0 ? null : new Date(Math.max(...stored)).toISOString(),
    }
  }
}

const agentOf = ({ located }: Sample): unknown => located.result.agent

const clockOf = ({ located }: Sample, rules: Rules): number =>
  rules.coveredDays === 'local' ? located.localMs : located.result.endedAt

const dayOf = (sample: Sample, rules: Rules): number => Math.floor(clockOf(sample, rules) / dayMs)

/** Where agents are expected: `open` are the hours of the week in which the series can have results. */
type Place = { readonly aggregation: Aggregation; readonly open: ReadonlySet<number> }

const hourOfWeek = (localMs: number): number => weekdayAt(localMs) * 24 + hourAt(localMs)

function openHours(series: readonly Sample[], request: MetricRequest, rules: Rules): ReadonlySet<number> {
  const anyMs = series[0]?.located.localMs ?? 0
  return new Set(hoursOfSeries(anyMs, request, rules).map(hourOfWeek))
}

/** The first and the last day on which each agent has a sample. */
function daysOfAgents(series: readonly Sample[], rules: Rules): Map<unknown, Days> {
  const days = new Map<unknown, Days>()
  let latest = -Infinity
  for (const sample of series) {
    const day = dayOf(sample, rules)
    const { first, last } = days.get(agentOf(sample)) ?? { first: day, last: day }
    days.set(agentOf(sample), { first: Math.min(first, day), last: Math.max(last, day) })
    latest = Math.max(latest, day)
  }
  if (rules.expectedUntil === 'its last day') return days
  return new Map([...days].map(([agent, { first }]) => [agent, { first, last: latest }]))
}

/**
 * For each bucket, the number of blocks in which agents are expected. An agent is expected in every block of its days
 * that has at least an hour in the bucket, inside the window and the hours of the series.
 */
function expectedBlocks(
  agents: readonly Days[],
  { blocks }: Metric,
  place: Place,
  rules: Rules,
): Map<Bucket['key'], number> {
  const expected = new Map<Bucket['key'], number>()
  // The number of agents changes by this much at the beginning of a day.
  const changes = new Map<number, number>()
  for (const { first, last } of agents) {
    changes.set(first, (changes.get(first) ?? 0) + 1)
    changes.set(last + 1, (changes.get(last + 1) ?? 0) - 1)
  }
  const [from, until] = [Math.min(...changes.keys()), Math.max(...changes.keys())]
  for (let day = from, present = 0; day < until; day += 1) {
    present += changes.get(day) ?? 0
    if (present === 0) continue
    for (const [key, count] of blocksOfDay(day, blocks, place, rules))
      expected.set(key, (expected.get(key) ?? 0) + present * count)
  }
  return expected
}

const known = new Map<string, Map<Bucket['key'], number>>()

/** For each bucket with hours on the day, the number of blocks that have an hour in it. Cached. */
function blocksOfDay(
  day: number,
  blocks: readonly number[],
  { aggregation, open }: Place,
  rules: Rules,
): Map<Bucket['key'], number> {
  const name = [day, blocks.length, aggregation, rules.weekStartsOn, ...(open.size === 168 ? [] : open)].join()
  const found = known.get(name)
  if (found !== undefined) return found
  const places = new Map<Bucket['key'], Set<number>>()
  for (let hour = 0; hour < 24; hour += 1) {
    const localMs = day * dayMs + hour * hourMs
    if (!open.has(hourOfWeek(localMs))) continue
    const { key } = bucketOf(localMs, aggregation, rules)
    places.set(key, (places.get(key) ?? new Set()).add(blockOf(hour, blocks)))
  }
  const counts = new Map([...places].map(([key, { size }]) => [key, size]))
  known.set(name, counts)
  return counts
}

const blockOf = (hour: number, blocks: readonly number[]): number => blocks.findLastIndex((from) => from <= hour)

/** The number of combinations of agent, day and block that have a sample. */
function seenBlocks(samples: readonly Sample[], { blocks }: Metric, rules: Rules): number {
  if (rules.blocksSeen === 'results') return samples.length
  const seen = new Map<unknown, Set<number>>()
  for (const sample of samples) {
    const day = dayOf(sample, rules)
    const hour = Math.floor((clockOf(sample, rules) - day * dayMs) / hourMs)
    const own = seen.get(agentOf(sample)) ?? new Set<number>()
    seen.set(agentOf(sample), own.add(day * 24 + blockOf(hour, blocks)))
  }
  return [...seen.values()].reduce((sum, { size }) => sum + size, 0)
}

/** The number of agents whose last day is before the first day of the point. */
function countGone(days: ReadonlyMap<unknown, Days>, fromMs: number, rules: Rules): number {
  const firstDay = Math.floor(fromMs / dayMs) + (rules.agentsGone === 'before the point' ? 0 : 1)
  return [...days.values()].filter(({ last }) => last < firstDay).length
}

function isLate({ result: { endedAt, storedAt } }: Located, rules: Rules): boolean {
  const delay = storedAt - endedAt
  return rules.late === 'more than a day' ? delay > dayMs : delay >= dayMs
}
