import type { Hours } from './buckets.ts'
import type { Metric } from './metrics.ts'
import { histogramOf } from './distribution/histogram.ts'
import { levelsOf, percentile, weightedPercentiles } from './percentiles.ts'
import { pointFields, scale, type MetricRequest, type Point, type PointField } from './request.ts'
import { rightRules, type Rules } from './rules.ts'
import type { Sample } from './select.ts'
import { sum, weightedDeviation, weightedMean } from './sums.ts'
import { emptyUncertainty, uncertaintyOf } from './uncertainty.ts'
import { weightsOf, type BlockWeight, type Weight } from './weights.ts'

/** Computes the fields of a point except its label and its split values. */
export function statisticsOf(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  bucket: Hours,
  rules: Rules,
): Point {
  if (samples.length === 0) return emptyStatistics(request)
  const values = samples.map(({ value }) => value)
  const sorted = values.toSorted((one, other) => one - other)
  const { fractions, weights } = weighed(samples, metric, request, bucket, rules)
  const deviation = deviationOf(values, weights, !('ratio' in metric) && request.relativeTo === undefined, rules)
  const agents = new Set(samples.map(({ located }) => located.result.agent))
  const error = 'ratio' in metric ? ratioError(samples, weights) : meanError(deviation, weights)
  const bounds = { min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN, sampleCount: samples.length }
  const { intervals, ...beside } = uncertaintyOf(samples, metric, request, fractions, error, rules)
  const all: Record<PointField, unknown> = {
    metricValue: meanOf(samples, metric, weights, rules),
    stdDev: deviation,
    agentCount: rules.agentCount === 'agents' ? agents.size : samples.length,
    unitCount: new Set([...agents].map(({ unit }) => unit).filter((unit) => unit !== null)).size,
    ...intervals,
    ...bounds,
    ...percentilesOf(values, sorted, fractions, levelsOf(request), rules),
  }
  return { ...wantedOf(all, request), ...beside, ...histogramOf(sorted, request, rules), [scale]: bounds }
}

/** Only the explained prefilter has points without a sample. Their counts are 0, and everything else is null. */
function emptyStatistics(request: MetricRequest): Point {
  const counts = { sampleCount: 0, agentCount: 0, unitCount: 0 }
  const nulls = Object.fromEntries(pointFields.map((field) => [field, null])) as Record<PointField, unknown>
  return {
    ...wantedOf({ ...nulls, ...counts }, request),
    ...emptyUncertainty(request),
    ...histogramOf([], request, rightRules),
    [scale]: { min: 0, max: 0, sampleCount: 0 },
  }
}

const wantedOf = (all: Record<PointField, unknown>, request: MetricRequest): Point =>
  Object.fromEntries(pointFields.filter((field) => isWanted(field, request)).map((field) => [field, all[field]]))

/** `metricValue` of a point with these samples. */
export const valueOfPoint = (
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  bucket: Hours,
  rules: Rules,
): number => meanOf(samples, metric, weighed(samples, metric, request, bucket, rules).weights, rules)

const meanOf = (samples: readonly Sample[], metric: Metric, weights: readonly number[], rules: Rules): number =>
  'ratio' in metric
    ? ratioOf(samples, weights, rules)
    : weightedMean(
        samples.map(({ value }) => value),
        weights,
      )

/** The weights as fractions and as numbers. Without normalisation there are no fractions, and all weights are 1. */
function weighed(
  samples: readonly Sample[],
  metric: Metric,
  request: MetricRequest,
  bucket: Hours,
  rules: Rules,
): { fractions: BlockWeight[] | null; weights: number[] } {
  const fractions =
    request.normalised && rules.weights !== 'ignored' ? weightsOf(samples, metric.blocks, bucket, request, rules) : null
  return { fractions, weights: fractions?.map(({ hours, rows }) => hours / rows) ?? samples.map(() => 1) }
}

export const isWanted = (field: PointField, { fields, percentiles }: MetricRequest): boolean =>
  (fields?.includes(field) ?? true) && !(percentiles === 'none' && ['median', 'percentiles'].includes(field))

function percentilesOf(
  values: readonly number[],
  sorted: readonly number[],
  fractions: readonly Weight[] | null,
  levels: readonly number[],
  rules: Rules,
): Pick<Record<PointField, unknown>, 'median' | 'percentiles'> {
  const withMedian = [...new Set([...levels, 50])].toSorted((one, other) => one - other)
  const percentiles =
    fractions === null
      ? withMedian.map((level) => percentile(sorted, level, rules.percentiles === 'type 7' ? 7 : 6))
      : weightedPercentiles(
          values.map((value, index) => ({ value, weight: fractions[index] ?? { hours: 0, rows: 1 } })),
          withMedian,
        )
  const of = (level: number): number | undefined => percentiles[withMedian.indexOf(level)]
  return { median: of(50), percentiles: Object.fromEntries(levels.map((level) => [String(level), of(level)])) }
}

function deviationOf(values: readonly number[], weights: readonly number[], areParts: boolean, rules: Rules): number {
  if (rules.deviation === 'from squares') return deviationFromSquares(values)
  const deviation = weightedDeviation(values, weights, areParts)
  const count = values.length
  return rules.deviation === 'population' || count < 2 ? deviation : deviation * Math.sqrt(count / (count - 1))
}

/**
 * √(E[x²] − E[x]²). This formula is mathematically correct, but very imprecise if the deviation is small compared to
 * the values.
 */
function deviationFromSquares(values: readonly number[]): number {
  const mean = values.reduce((total, value) => total + value, 0) / values.length
  const squares = values.reduce((total, value) => total + value * value, 0) / values.length
  return Math.sqrt(Math.max(0, squares - mean * mean))
}

function ratioOf(samples: readonly Sample[], weights: readonly number[], rules: Rules): number {
  if (rules.ratio === 'mean of ratios')
    return weightedMean(
      samples.map(({ value }) => value),
      weights,
    )
  const [parts, wholes] = sumsOf(samples, weights)
  return (100 * parts) / wholes
}

const sumsOf = (samples: readonly Sample[], weights: readonly number[]): [number, number] => [
  sum(samples.map(({ part }, index) => part * (weights[index] ?? 0))),
  sum(samples.map(({ whole }, index) => whole * (weights[index] ?? 0))),
]

/**
 * The standard error of a mean: stdDev / √n*, with n* = (Σw)² / Σw². With equal weights, n* is the number of samples.
 */
const meanError = (deviation: number, weights: readonly number[]): number =>
  deviation / Math.sqrt(sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2)))

/** The standard error of a ratio R in percent: 100·√(Σ w²(a − R·d)²) / Σ w·d. It is exactly 0 if all ratios are equal. */
function ratioError(samples: readonly Sample[], weights: readonly number[]): number {
  const [first] = samples
  if (samples.every(({ part, whole }) => part * (first?.whole ?? NaN) === (first?.part ?? NaN) * whole)) return 0
  const [parts, wholes] = sumsOf(samples, weights)
  const ratio = parts / wholes
  const squares = samples.map(({ part, whole }, index) => ((weights[index] ?? 0) * (part - ratio * whole)) ** 2)
  return (100 * Math.sqrt(sum(squares))) / wholes
}
