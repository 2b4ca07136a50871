import { Fault } from '../base/fault.ts'
import { sketchRelativeError } from '../compile/rollup/sketch.ts'
import { metricColumn } from '../compile/metric/answer/answer-statement.ts'
import { percentileKeys } from '../compile/metric/distribution/percentile-levels.ts'

type Row = readonly unknown[]
type Splits = readonly { readonly id: string }[]

/** One element of `data`: the points of one combination of split values. */
export type MetricSeries = { metricData: Record<string, unknown>[] }

/**
 * Groups rows into one series per combination of split values. Series are in the order of their first rows. Every point repeats
 * its split values. Without rows, the result is one series without points.
 */
export function metricSeries(
  splits: Splits,
  columns: readonly string[],
  rows: readonly Row[],
  levels: readonly string[] = percentileKeys({}),
): MetricSeries[] {
  const series = new Map<string, MetricSeries>()
  const other = columns.indexOf('other')
  let [previous, current]: [Row | null, MetricSeries] = [null, { metricData: [] }]
  for (const row of rows) {
    const isSame =
      previous !== null &&
      row[other] === previous[other] &&
      splits.every((_, index) => row[index] === previous?.[index])
    if (!isSame) {
      const key = JSON.stringify([row[other], ...row.slice(0, splits.length)])
      current = series.get(key) ?? { metricData: [] }
      series.set(key, current)
    }
    current.metricData.push(point(splits, columns, row, levels))
    previous = row
  }
  return series.size === 0 ? [{ metricData: [] }] : [...series.values()]
}

/** The header says whether ClickHouse computed the percentiles exactly or from a sketch. */
export const percentilesHeader = ({ percentiles }: { percentiles: 'exact' | 'sketch' | 'none' }) => ({
  'x-percentiles': percentiles === 'sketch' ? `sketch; relative-error=${sketchRelativeError}` : percentiles,
})

function point(
  splits: Splits,
  columns: readonly string[],
  row: Row,
  levels: readonly string[],
): Record<string, unknown> {
  const values = columns.flatMap((name, index): [string, unknown][] =>
    index < splits.length ? [] : member(name, row[index], levels),
  )
  return { ...nested(values), ...Object.fromEntries(splits.map(({ id }, index) => [id, row[index]])) }
}

/** A column such as `coverage_share` becomes a member of the object `coverage`. */
function nested(columns: readonly [string, unknown][]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const objects: Record<string, Record<string, unknown>> = {}
  for (const [column, value] of columns) {
    const [name = '', inner] = column.split('_')
    if (inner === undefined) values[name] = value
    else values[name] = Object.assign((objects[name] ??= {}), { [inner]: value })
  }
  return values
}

/**
 * Returns the member of a point for a column, as a list with one item. The list is empty for `partial` if the period is whole,
 * for `other` if the series has split values, and for `caution` if the point has no reason for caution.
 */
function member(name: string, value: unknown, levels: readonly string[]): [string, unknown][] {
  if ((name === 'partial' || name === 'other') && value !== true) return []
  if (!Array.isArray(value) || listsThatStay.has(name)) return [[name, value]]
  if (name === 'percentiles') return [[name, value.every((one) => one === null) ? null : byLevel(levels, value)]]
  if (name === 'percentileIntervals') return [[name, value.length === 0 ? null : byLevel(levels, value)]]
  return value.length === 0 ? [] : [[name, value]]
}

/** Members of nested objects. A point has these members also if their list is empty. */
const listsThatStay = new Set(['prefilter_rules', 'histogram_edges', 'histogram_counts'])

const byLevel = (levels: readonly string[], values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(levels.map((key, index) => [key, values[index]]))

const labels = new Set(['dtime', 'aggregatedNumber'])

/** Call this before the points are computed further. The statement returns one row more than `pointsMax` if there are too many. */
export function checkPointCount(
  splits: Splits,
  columns: readonly string[],
  rows: readonly Row[],
  pointsMax: number,
): void {
  if (rows.length > pointsMax) throw tooManyPoints(splits, columns, rows, pointsMax)
}

/** The message names what the caller should narrow: the split with the most distinct values, or the time range. */
function tooManyPoints(splits: Splits, columns: readonly string[], rows: readonly Row[], pointsMax: number): Fault {
  const distinct = (index: number): number => new Set(rows.map((row) => row[index])).size
  const counted = splits.map(({ id }, index) => ({
    what: id === metricColumn ? '"metrics"' : `the split "${id}"`,
    values: distinct(index),
  }))
  // A request for totals has no label column: the column after the splits contains the metric value.
  const hasLabel = labels.has(columns[splits.length] ?? '')
  const label = { what: 'the time range', values: hasLabel ? distinct(splits.length) : 1 }
  const [largest = label] = [...counted, label].toSorted((one, other) => other.values - one.values)
  return new Fault('QUERY_TOO_LARGE', {
    message: `The answer would have more than ${pointsMax.toLocaleString('en')} points; narrow ${largest.what} or add a filter.`,
  })
}
