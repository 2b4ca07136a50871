import { Fault } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import { sketchRelativeError } from '../compile/rollup/sketch.ts'
import { percentileKeys } from '../compile/metric/statistics.ts'

type Row = readonly unknown[]
type Splits = readonly { readonly id: string }[]

/** One object of `data`: the points of one combination of splits. */
export type MetricSeries = { metricData: Record<string, unknown>[] }

/**
 * Rows of an aggregate, ordered by the splits and then by label → one series a combination of splits. Every point carries
 * its splits. Nothing found is one series without points.
 */
export function metricSeries(splits: Splits, columns: readonly string[], rows: readonly Row[]): MetricSeries[] {
  if (rows.length > limits.pointsMax) throw tooManyPoints(splits, columns, rows)
  const series: MetricSeries[] = []
  let previous: Row | null = null
  for (const row of rows) {
    const isSame = previous !== null && splits.every((_, index) => row[index] === previous?.[index])
    if (!isSame) series.push({ metricData: [] })
    series.at(-1)?.metricData.push(point(splits, columns, row))
    previous = row
  }
  return series.length === 0 ? [{ metricData: [] }] : series
}

/** How the percentiles of an answer came about; the caller asked for it, and a file or a log may have to tell. */
export const percentilesHeader = ({ percentiles }: { percentiles: 'exact' | 'sketch' | 'none' }) => ({
  'x-percentiles': percentiles === 'sketch' ? `sketch; relative-error=${sketchRelativeError}` : percentiles,
})

function point(splits: Splits, columns: readonly string[], row: Row): Record<string, unknown> {
  const values = columns.flatMap((name, index): [string, unknown][] => {
    if (index < splits.length) return []
    const value = row[index]
    return [[name, name === 'percentiles' && Array.isArray(value) ? percentilesOf(value) : value]]
  })
  return Object.fromEntries([...values, ...splits.map(({ id }, index): [string, unknown] => [id, row[index]])])
}

const percentilesOf = (levels: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(percentileKeys.map((key, index) => [key, levels[index]]))

const labels = new Set(['dtime', 'aggregatedNumber'])

/** Says what to narrow: whatever has the most different values among the points that were found. */
function tooManyPoints(splits: Splits, columns: readonly string[], rows: readonly Row[]): Fault {
  const distinct = (index: number): number => new Set(rows.map((row) => row[index])).size
  const counted = splits.map(({ id }, index) => ({ what: `the split "${id}"`, values: distinct(index) }))
  // A total has no label: what stands there is its value.
  const hasLabel = labels.has(columns[splits.length] ?? '')
  const label = { what: 'the time range', values: hasLabel ? distinct(splits.length) : 1 }
  const [largest = label] = [...counted, label].toSorted((one, other) => other.values - one.values)
  return new Fault('QUERY_TOO_LARGE', {
    message: `The answer would have more than ${limits.pointsMax.toLocaleString('en')} points; narrow ${largest.what} or add a filter.`,
  })
}
