import type { Dataset } from './facts.ts'
import { keepsBy } from './filters.ts'
import { isInRange, locatedResults, requestedMs, type Located } from './local-time.ts'
import { metrics, numberIn, type Metric } from './metrics.ts'
import { isExcluded } from './prefilter.ts'
import type { Asked } from './request.ts'
import type { Rules } from './rules.ts'

/** One result that counts. For a ratio metric `value` is the percentage and the two numbers are kept too. */
export type Sample = { located: Located; value: number; part: number; whole: number }

export function samplesOf(dataset: Dataset, { organisation, now, request }: Asked, rules: Rules): Sample[] {
  const metric = metrics[request.metric]
  if (metric === undefined) throw new Error(`no metric ${request.metric}`)
  const panels = panelsOf(dataset, organisation, request.panel)
  const range = { fromMs: requestedMs(request.time.from, now), toMs: requestedMs(request.time.to, now) }
  const keeps = (request.filters ?? []).map((filter) => keepsBy(filter, dataset, rules))
  return locatedResults(dataset, metric.test, rules)
    .filter(({ result, localMs }) => panels.has(result.panel) && isInRange(localMs, range, rules))
    .filter((located) => keeps.every((keep) => keep(located)))
    .filter(({ result }) => !request.prefilter || !isExcluded(request.metric, result.row, rules))
    .flatMap((located) => sampleOf(located, metric, rules))
}

/** The panels the organisation can read, or those of them it asks for. */
function panelsOf({ panels }: Dataset, organisation: string, asked: string | string[] | undefined): Set<string> {
  const readable = panels.filter(
    ({ owner, subscribers }) => owner === organisation || subscribers.includes(organisation),
  )
  const wanted = asked === undefined ? undefined : [asked].flat()
  return new Set(readable.map(({ key }) => key).filter((key) => wanted?.includes(key) ?? true))
}

function sampleOf(located: Located, metric: Metric, rules: Rules): Sample[] {
  const { row } = located.result
  if ('ratio' in metric) {
    const { part, whole } = metric.ratio(row)
    // Without a numerator there is no ratio, whatever the denominator.
    return part === null || whole === null || whole <= 0 ? [] : [{ located, value: (100 * part) / whole, part, whole }]
  }
  const value = metric.value(row)
  const succeeded = !('successes' in row) || (numberIn(row, 'successes') ?? 0) >= 1 || rules.failedTestsCount
  return value === null || !Number.isFinite(value) || !succeeded ? [] : [{ located, value, part: value, whole: 1 }]
}
