import { adjusted } from './comparison/adjust.ts'
import { comparisonsOf } from './comparison/base.ts'
import type { Dataset } from './facts.ts'
import type { Located } from './local-time.ts'
import { filled } from './presets.ts'
import { relativeSamples } from './plans.ts'
import { rawPoints } from './raw-points.ts'
import type { Answer, Asked, Data, Meta, MetricRequest } from './request.ts'
import { rightRules, type Rules } from './rules.ts'
import { rangeOf, samplesOf, type Range } from './select.ts'
import { selected } from './selection/selected.ts'
import { pointsOf } from './series.ts'
import { combinationsOf, isOfNone, othersOf, withValuesOf, type Combination } from './splits/combinations.ts'
import { topOf } from './splits/top.ts'
import { pooledRequest } from './splits/totals.ts'

/** The expected `data` of the response. */
export const reference = (dataset: Dataset, given: Asked, rules: Rules = rightRules): Data =>
  answerOf(dataset, given, rules).data

/**
 * The expected response of POST /metric_data. A simple implementation computes it in memory from the specification
 * alone, without any code of the service. If the service and this implementation differ, one of them is wrong.
 */
export const answerOf = (dataset: Dataset, given: Asked, rules: Rules = rightRules): Answer =>
  answerFrom(computed(dataset, given, rules), given.request, rules)

/** The response from the points that were computed for a request without `having`, `order` and `limit`. */
export const answerFrom = (
  { rankings: _rankings, ...answer }: Computed,
  request: MetricRequest,
  rules: Rules,
): Answer => selected(answer, request, rules)

/** `rankings` have, for each metric, the points by which its series are ranked. */
export type Computed = Answer & { rankings?: Data[] }

/** The points from which `having`, `order` and `limit` select, and the totals, from which they do not. */
export function computed(dataset: Dataset, given: Asked, rules: Rules = rightRules): Computed {
  const asked = { ...given, request: filled(given.request) }
  const { request } = asked
  if (request.chartType === 'raw') {
    const { samples } = relativeSamples(dataset, samplesOf(dataset, asked, rules), request, rules)
    return { data: [{ metricData: rawPoints(dataset, samples, request, rules) }] }
  }
  const range = rangeOf(dataset, asked, rules)
  if (range === null) return { data: [{ metricData: [] }] }
  const parts: Parts[] = []
  for (const metric of request.metrics ?? [request.metric])
    parts.push(partsOf(dataset, { ...asked, request: { ...request, metric } }, range, rules, parts[0]))
  const all = (name: Exclude<keyof Parts, 'ranking' | 'shown'>): Data => {
    const series = parts.flatMap((one) => one[name])
    return series.length === 0 ? [{ metricData: [] }] : adjusted(series, asked, rules)
  }
  const meta: Meta = { totals: all('totals'), overall: all('overall'), grand: all('grand') }
  const rankings = parts.map(({ ranking }) => ranking)
  return { data: all('data'), rankings, ...(request.totals === true ? { meta } : {}) }
}

type Parts = { data: Data; ranking: Data; shown: Combination[]; totals: Data; overall: Data; grand: Data }

/** The series of one metric, and its totals if the request asks for them. `first` has those of the first metric. */
function partsOf(dataset: Dataset, asked: Asked, range: Range, rules: Rules, first: Parts | undefined): Parts {
  const { request } = asked
  const members = relativeSamples(dataset, samplesOf(dataset, asked, rules), request, rules)
  const seriesBy = (
    own: MetricRequest,
    combinations: readonly Combination[],
    isBase?: (one: Located) => boolean,
  ): Data => {
    const comparisonOf = comparisonsOf(dataset, { ...asked, request: own }, members.samples, range, rules, isBase)
    return combinations.map(({ labels, ...of }) => ({
      metricData: pointsOf(of, own, range, comparisonOf, rules).map((point) => ({
        ...point,
        ...labels,
        ...(request.metrics === undefined ? {} : { metric: request.metric }),
      })),
    }))
  }
  const total = <Own extends MetricRequest>(own: Own): Own => ({ ...own, aggregation: 'total', emptyBuckets: false })
  const { compare: _compare, ...ranked } = request
  const every = combinationsOf(members, request, rules)
  const ranking =
    request.top === undefined ? [] : seriesBy(rules.topBy === 'the whole range' ? total(ranked) : ranked, every)
  const shown =
    request.top === undefined
      ? every
      : first === undefined || rules.topOf === 'the metric'
        ? topOf(every, ranking, request.top, rules)
        : withValuesOf(first.shown, every)
  const pooled = pooledRequest(request, rules)
  const others = request.top?.others === false ? [] : othersOf(members, every, shown, request, rules)
  const isOther = isOfNone(shown, request, rules)
  const samples = rules.totals === 'of all series' ? members.samples : shown.flatMap((one) => one.samples)
  const whole: Combination[] = samples.length === 0 ? [] : [{ ...members, samples, labels: {} }]
  const wantsTotals = request.totals === true
  return {
    ranking,
    shown,
    data: [...seriesBy(request, shown), ...seriesBy(pooled, others, isOther)],
    totals: wantsTotals ? seriesBy(pooled, whole) : [],
    overall: wantsTotals ? [...seriesBy(total(request), shown), ...seriesBy(total(pooled), others, isOther)] : [],
    grand: wantsTotals ? seriesBy(total(pooled), whole) : [],
  }
}
