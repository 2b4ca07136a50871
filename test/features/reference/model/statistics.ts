import type { Hours } from './buckets.ts'
import type { Metric } from './metrics.ts'
import { percentile, percentileKeys, weightedPercentiles } from './percentiles.ts'
import type { MetricRequest, Point } from './request.ts'
import type { Rules } from './rules.ts'
import type { Sample } from './select.ts'
import { sum, weightedDeviation, weightedMean } from './sums.ts'
import { weightsOf } from './weights.ts'

const confidences = { ci90: 1.6448536269514722, ci95: 1.959963984540054, ci99: 2.5758293035489004 }

/** Everything a point says of its samples but its label and its group. */
export function statisticsOf(
  samples: readonly Sample[],
  metric: Metric,
  { normalised }: MetricRequest,
  bucket: Hours,
  rules: Rules,
): Point {
  const values = samples.map(({ value }) => value)
  const sorted = values.toSorted((one, other) => one - other)
  const fractions = normalised && rules.weights !== 'ignored' ? weightsOf(samples, metric.blocks, bucket, rules) : null
  const weights = fractions?.map(({ hours, rows }) => hours / rows) ?? samples.map(() => 1)
  const percentiles =
    fractions === null
      ? percentileKeys.map((key) => percentile(sorted, key, rules.percentiles === 'type 7' ? 7 : 6))
      : weightedPercentiles(
          values.map((value, index) => ({ value, weight: fractions[index] ?? { hours: 0, rows: 1 } })),
        )
  const deviation = deviationOf(values, weights, !('ratio' in metric), rules)
  const agents = new Set(samples.map(({ located }) => located.result.agent))
  return {
    metricValue: 'ratio' in metric ? ratioOf(samples, values, weights, rules) : weightedMean(values, weights),
    stdDev: deviation,
    sampleCount: samples.length,
    agentCount: rules.agentCount === 'agents' ? agents.size : samples.length,
    unitCount: new Set([...agents].map(({ unit }) => unit).filter((unit) => unit !== null)).size,
    ...intervals('ratio' in metric ? ratioError(samples, weights) : meanError(deviation, weights), samples.length),
    min: sorted[0],
    max: sorted.at(-1),
    median: percentiles[percentileKeys.indexOf(50)],
    percentiles: Object.fromEntries(percentileKeys.map((key, index) => [String(key), percentiles[index]])),
  }
}

function deviationOf(values: readonly number[], weights: readonly number[], areParts: boolean, rules: Rules): number {
  if (rules.deviation === 'from squares') return deviationFromSquares(values)
  const deviation = weightedDeviation(values, weights, areParts)
  const count = values.length
  return rules.deviation === 'population' || count < 2 ? deviation : deviation * Math.sqrt(count / (count - 1))
}

/** √(E[x²] − E[x]²): right on paper, and far off where the deviation is small beside the values. */
function deviationFromSquares(values: readonly number[]): number {
  const mean = values.reduce((total, value) => total + value, 0) / values.length
  const squares = values.reduce((total, value) => total + value * value, 0) / values.length
  return Math.sqrt(Math.max(0, squares - mean * mean))
}

function ratioOf(
  samples: readonly Sample[],
  values: readonly number[],
  weights: readonly number[],
  rules: Rules,
): number {
  if (rules.ratio === 'mean of ratios') return weightedMean(values, weights)
  const [parts, wholes] = sumsOf(samples, weights)
  return (100 * parts) / wholes
}

const sumsOf = (samples: readonly Sample[], weights: readonly number[]): [number, number] => [
  sum(samples.map(({ part }, index) => part * (weights[index] ?? 0))),
  sum(samples.map(({ whole }, index) => whole * (weights[index] ?? 0))),
]

/** stdDev / √n*, n* = (Σw)² / Σw²: with equal weights the number of samples. */
const meanError = (deviation: number, weights: readonly number[]): number =>
  deviation / Math.sqrt(sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2)))

/** 100·√(Σ w²(a − R·d)²) / Σ w·d. */
function ratioError(samples: readonly Sample[], weights: readonly number[]): number {
  const [parts, wholes] = sumsOf(samples, weights)
  const ratio = parts / wholes
  const squares = samples.map(({ part, whole }, index) => ((weights[index] ?? 0) * (part - ratio * whole)) ** 2)
  return (100 * Math.sqrt(sum(squares))) / wholes
}

/** Of one sample nothing can be said. */
const intervals = (error: number, count: number): Point =>
  Object.fromEntries(Object.entries(confidences).map(([key, z]) => [key, count < 2 ? null : z * error]))
