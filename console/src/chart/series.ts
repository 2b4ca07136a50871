import type { MetricAnswer, Point } from '../api/metric-data.ts'

/** The points of one combination of split values. */
export type Series = {
  readonly name: string
  readonly points: readonly Point[]
  readonly samples: number
  /** The rank of the series by number of samples. The first ones are shown, and the rank determines the colour. */
  readonly rank: number
}

/** Returns the series in the order of the response. */
export function seriesOf(answer: MetricAnswer, splits: readonly string[]): Series[] {
  const found = answer
    .filter(({ metricData }) => metricData.length > 0)
    .map(({ metricData }) => ({
      name: nameOf(metricData[0], splits),
      points: metricData,
      samples: metricData.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
    }))
  const ranked = new Map(
    found.toSorted((one, other) => other.samples - one.samples).map((series, rank) => [series, rank]),
  )
  return found.map((series) => ({ ...series, rank: ranked.get(series) ?? 0 }))
}

const nameOf = (point: Point | undefined, splits: readonly string[]): string =>
  splits.length === 0 ? 'All' : splits.map((id) => splitText(point?.[id])).join(' · ')

export const splitText = (value: unknown): string =>
  value === null || value === undefined ? '(none)' : typeof value === 'string' ? value : JSON.stringify(value)
