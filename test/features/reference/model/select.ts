import { bucketOf, type Period } from './buckets.ts'
import { isInside, windowsOf } from './clock.ts'
import type { Dataset } from './facts.ts'
import { keepsBy } from './filters/keeps-by.ts'
import { isInRange, locatedResults, requestedMs, westernmostMs, type Located } from './local-time.ts'
import { metrics, numberIn, type Metric } from './metrics.ts'
import { matchedRules, prefilterOf } from './prefilter.ts'
import type { Filter } from './filters/filter.ts'
import { includes, type Asked, type MetricRequest } from './request.ts'
import type { Rules } from './rules.ts'

/**
 * One sample. For a ratio metric, `value` is the percentage of `part` in `whole`. `matched` names the prefilter rules
 * that match the result. It is empty if the request has no prefilter.
 */
export type Sample = { located: Located; value: number; part: number; whole: number; matched: readonly string[] }

export const isKept = ({ matched }: Sample): boolean => matched.length === 0

/** True if the response also describes the results that the prefilter excludes. */
export const explainsPrefilter = (request: MetricRequest): boolean =>
  request.prefilter && includes(request, 'prefilter')

/** The range of a request. Whole periods end by `wholeUntilMs` at the latest. */
export type Range = { fromMs: number; toMs: number; wholeUntilMs: number }

/** The range of a request after `wholePeriods` has narrowed it. Null if the request is invalid, as nothing is left. */
export function rangeOf(dataset: Dataset, { organisation, now, request }: Asked, rules: Rules): Range | null {
  const { time, panel, aggregation, wholePeriods } = request
  const panels = panelsOf(dataset, organisation, panel)
  const fromMs = requestedMs(time.from, 'from', now, rules)
  const toMs = requestedMs(time.to, 'to', now, rules)
  const ended = westernmostMs(
    dataset.agents.filter((agent) => panels.has(agent.panel)),
    now,
  )
  const range = {
    fromMs,
    toMs,
    wholeUntilMs: Math.min(toMs + (rules.wholeUntil === 'its last second' ? 1000 : 0), ended),
  }
  if (wholePeriods !== true || rules.wholePeriods === 'is ignored') return range
  const periodAt = (localMs: number): Period | undefined => aggregation && bucketOf(localMs, aggregation, rules).period
  const [first, last] = [periodAt(fromMs), periodAt(range.wholeUntilMs)]
  if (first === undefined || last === undefined) throw new Error(`${aggregation} has no periods`)
  const narrowedMs = first.fromMs === fromMs ? fromMs : first.untilMs
  if (last.fromMs <= narrowedMs) return null
  return { fromMs: narrowedMs, toMs: last.fromMs - 1000, wholeUntilMs: last.fromMs }
}

/** True unless the whole period is in the range and has ended for every agent. */
export const isPartial = ({ fromMs, untilMs }: Period, range: Range, rules: Rules): boolean =>
  (fromMs < range.fromMs && rules.cutBeginning === 'partial') || untilMs > range.wholeUntilMs

/** The samples of a request. Those that the prefilter excludes are among them only if the request explains it. */
export function samplesOf(dataset: Dataset, asked: Asked, rules: Rules): Sample[] {
  const range = rangeOf(dataset, asked, rules)
  return range === null ? [] : samplesIn(dataset, asked, range, asked.request.filters ?? [], rules)
}

/** The samples that a request would have with this range and these filters. */
export function samplesIn(
  dataset: Dataset,
  { organisation, request }: Asked,
  range: Pick<Range, 'fromMs' | 'toMs'>,
  filters: readonly Filter[],
  rules: Rules,
): Sample[] {
  const metric = metrics[request.metric]
  if (metric === undefined) throw new Error(`no metric ${request.metric}`)
  const panels = panelsOf(dataset, organisation, request.panel)
  const prefilter = request.prefilter ? prefilterOf(request.metric, rules) : []
  const { filter: window, peak } = windowsOf(request, rules)
  const keeps = filters.map((filter) => keepsBy(filter, dataset, peak, rules))
  return locatedResults(dataset, metric.test, rules)
    .filter(({ result, localMs }) => panels.has(result.panel) && isInRange(localMs, range, rules))
    .filter(({ result, localMs }) => {
      const clockMs = rules.windowClock === 'local' ? localMs : result.endedAt
      return window === undefined || isInside(window, clockMs)
    })
    .filter((located) => keeps.every((keep) => keep(located)))
    .flatMap((located) => sampleOf(located, metric, matchedRules(prefilter, located.result.row, rules), rules))
    .filter((sample) => isKept(sample) || explainsPrefilter(request))
}

/**
 * The panels that the organisation can read. If the request names panels, the result contains only those of them that
 * the organisation can read.
 */
function panelsOf({ panels }: Dataset, organisation: string, asked: string | string[] | undefined): Set<string> {
  const readable = panels.filter(
    ({ owner, subscribers }) => owner === organisation || subscribers.includes(organisation),
  )
  const wanted = asked === undefined ? undefined : [asked].flat()
  return new Set(readable.map(({ key }) => key).filter((key) => wanted?.includes(key) ?? true))
}

function sampleOf(located: Located, metric: Metric, matched: readonly string[], rules: Rules): Sample[] {
  const { row } = located.result
  if ('ratio' in metric) {
    const { part, whole } = metric.ratio(row)
    // Without a numerator there is no ratio, even if the denominator is known.
    return part === null || whole === null || whole <= 0
      ? []
      : [{ located, value: (100 * part) / whole, part, whole, matched }]
  }
  const value = metric.value(row)
  const succeeded = !('successes' in row) || (numberIn(row, 'successes') ?? 0) >= 1 || rules.failedTestsCount
  return value === null || !Number.isFinite(value) || !succeeded
    ? []
    : [{ located, value, part: value, whole: 1, matched }]
}
