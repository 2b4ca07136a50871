import type { Asked, Data, Point } from '../request.ts'
import type { Rules } from '../rules.ts'
import type { Comparison } from './compared.ts'

/** The metrics whose higher values are better, and those without a direction. */
const higherIsBetter = [
  'httpget',
  'httpget_single',
  'httpget_multi',
  'httppost',
  'httppost_single',
  'httppost_multi',
  'mobileDownload',
  'mobileUpload',
  'netflixBitrate',
  'youtubeBitrate',
]
const withoutDirection = ['wanDown', 'wanUp']

/** Adjusts the p-values of all points of a response by Holm's method, and gives the verdicts. */
export function adjusted(data: Data, { request }: Asked, rules: Rules): Data {
  const { compare } = request
  if (compare === undefined) return data
  const found = data.flatMap(({ metricData }) => metricData.map(comparisonOf))
  const adjustments = holm(
    found.map((one) => one?.pValue ?? null),
    rules,
  )
  let next = 0
  return data.map(({ metricData }) => ({
    metricData: metricData.map((point) => {
      const pAdjusted = adjustments[next] ?? null
      next += 1
      const comparison = comparisonOf(point)
      return comparison === null
        ? point
        : { ...point, comparison: withVerdict(comparison, pAdjusted, compare.alpha ?? 0.05, metricOf(point, request)) }
    }),
  }))
}

/** With several metrics, a point says of which metric it is. */
const metricOf = ({ metric }: Point, request: Asked['request']): string =>
  typeof metric === 'string' ? metric : request.metric

const comparisonOf = (point: Point): Comparison | null => (point['comparison'] ?? null) as Comparison | null

/** The k-th smallest of M p-values becomes the largest of min(1, (M − j + 1) · p of j) over all j up to k. */
function holm(values: readonly (number | null)[], { adjustment }: Rules): (number | null)[] {
  const ranked = values
    .flatMap((value, index) => (value === null ? [] : [{ value, index }]))
    .toSorted((one, other) => one.value - other.value)
  const result: (number | null)[] = values.map(() => null)
  let greatest = 0
  for (const [rank, { value, index }] of ranked.entries()) {
    const count = adjustment === 'Holm' ? ranked.length - rank : adjustment === 'none' ? 1 : ranked.length
    greatest = Math.max(greatest, Math.min(1, count * value))
    result[index] = greatest
  }
  return result
}

function withVerdict(comparison: Comparison, pAdjusted: number | null, alpha: number, metric: string): Comparison {
  if (pAdjusted === null || pAdjusted >= alpha) return { ...comparison, pAdjusted }
  const isHigher = comparison.difference > 0
  return {
    ...comparison,
    pAdjusted,
    verdict: isHigher ? 'higher' : 'lower',
    better: withoutDirection.includes(metric) ? null : isHigher === higherIsBetter.includes(metric),
  }
}
