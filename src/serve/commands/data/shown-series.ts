import { comparisonMembers } from '../../../catalog/point-fields.ts'
import type { AggregatedPoint, Meta, MetricSeries } from '../../../../clients/typescript/src/index.ts'
import { formulaStart } from '../../../compile/export/export-file.ts'
import { print } from '../../output.ts'
import { blockChart, type ChartOptions, valueText } from './block-chart.ts'

export type QueryFormat = 'table' | 'csv' | 'json' | 'chart'

type Options = ChartOptions & { readonly format: QueryFormat }

type Row = Readonly<Record<string, unknown>>

const nothing = 'Nothing was found.\n'

export function shownSeries(series: readonly MetricSeries[], { format, ...chart }: Options): string {
  const { splits } = chart
  if (format === 'json') return `${JSON.stringify(series)}\n`
  if (format === 'chart') return blockChart(series, chart) ?? nothing
  const points = series.flatMap(({ metricData }) => metricData)
  const hasOthers = points.some(({ other }) => other)
  const rows = points.map(({ other = false, ...point }) => ({
    ...flat(point, splits),
    ...(hasOthers ? { other } : {}),
  }))
  return format === 'csv' ? csv(rows) : table(rows)
}

export type ShownTotals = Required<Pick<Meta, 'totals' | 'overall' | 'grand'>>

export const totalsIn = ({ totals, overall, grand }: Meta): ShownTotals | undefined =>
  totals === undefined || overall === undefined || grand === undefined ? undefined : { totals, overall, grand }

/** Shows the points and their totals as tables, or as one JSON object. */
export function shownTotals(
  series: readonly MetricSeries[],
  { totals, overall, grand }: ShownTotals,
  options: Options,
): string {
  if (options.format === 'json') return `${JSON.stringify({ series, totals, overall, grand })}\n`
  const ofMetrics = { ...options, splits: options.splits.filter((id) => id === 'metric') }
  return [
    shownSeries(series, options),
    `All splits together:\n${shownSeries(totals, ofMetrics)}`,
    `Whole range:\n${shownSeries(overall, options)}`,
    `All splits together, whole range:\n${shownSeries(grand, ofMetrics)}`,
  ].join('\n')
}

/**
 * Returns one row of the table or file. Its columns are the splits, the label, the statistics, one column per percentile, the
 * members of the comparison and of the histogram, `partial`, and the reasons for caution.
 */
function flat(
  { dtime, aggregatedNumber, percentiles, histogram, partial, caution = [], comparison, ...point }: AggregatedPoint,
  splits: readonly string[],
): Row {
  const values = Object.fromEntries(splits.map((id) => [id, point[id]]))
  const statistics = Object.entries(point).filter(([name]) => !splits.includes(name))
  const label = dtime ?? aggregatedNumber
  const levels = Object.entries(percentiles ?? {}).map(([key, value]) => [`percentile_${key}`, value])
  const bins = Object.entries(histogram ?? {}).map(([key, value]) => [
    `histogram_${key}`,
    Array.isArray(value) ? JSON.stringify(value) : value,
  ])
  return {
    ...values,
    ...(label === undefined ? {} : { period: label }),
    ...Object.fromEntries(statistics),
    ...Object.fromEntries(levels),
    ...(comparison === undefined ? {} : comparisonOf(comparison)),
    ...Object.fromEntries(bins),
    ...(dtime === undefined ? {} : { partial: partial === true }),
    // Only points with intervals can have reasons for caution.
    ...('ci95' in point ? { caution: caution.join(' ') } : {}),
  }
}

/** A point without a comparison has empty columns. */
const comparisonOf = (comparison: NonNullable<AggregatedPoint['comparison']> | null): Row =>
  Object.fromEntries(comparisonMembers.map((name) => [`comparison_${name}`, comparison?.[name] ?? null]))

function table(rows: readonly Row[]): string {
  if (rows.length === 0) return nothing
  let text = ''
  const isWhole = rows.every(({ partial }) => partial !== true)
  const shown = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !hidden.test(name) && !(isWhole && name === 'partial'))
        .map(rounded)
        .map(([name, value]) => [name.replace('comparison_', ''), value]),
    ),
  )
  print({ json: false, write: (more) => void (text += more) }, shown)
  return text
}

/** Statistics that the table omits because they would not fit on a line. CSV and JSON contain them. */
const hidden =
  /^(stdDev|unitCount|ci90|ci99|min|max|percentile_.*|comparison_(?!difference$|low$|high$|pAdjusted$|verdict$).*)$/
const rounded = ([name, value]: [string, unknown]): [string, unknown] =>
  typeof value === 'number' && !Number.isInteger(value) ? [name, Number(value.toPrecision(6))] : [name, value]

function csv(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))]
  return lines.map((line) => `${line.map(cell).join(',')}\n`).join('')
}

const startsFormula = new RegExp(formulaStart, 'u')

/** Formats a CSV cell. The apostrophe prevents spreadsheets from running a text as a formula. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && startsFormula.test(value) ? `'${value}` : valueText(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
