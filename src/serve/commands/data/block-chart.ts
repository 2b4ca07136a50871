import type { AggregatedPoint, MetricSeries } from '../../../../clients/typescript/src/index.ts'

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Styles that tell the series of a chart apart. Red is for errors. */
const styles = ['cyan', 'yellow', 'green', 'magenta', 'blue'] as const

/** Adds the escape sequences of a style to a text, or returns the text if the output is not a terminal. */
export type Paint = (style: (typeof styles)[number], text: string) => string

export type ChartOptions = {
  readonly splits: readonly string[]
  readonly title: string
  /** Symbol of the unit of all values. */
  readonly unit: string
  readonly paint?: Paint | undefined
}

type Label = string | number
type Range = { readonly least: number; readonly greatest: number }

/** The label of a point. An aggregation without periods gives one point without a label. */
const labelOf = ({ dtime, aggregatedNumber }: AggregatedPoint): Label => dtime ?? aggregatedNumber ?? ''

/** Compares two labels. Labels that are texts are ISO dates, so the order of the texts is the order of time. */
const inOrder = (one: Label, other: Label): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : String(one) < String(other) ? -1 : 1

export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/**
 * Draws one line per series: its name and one block per period. All series have the same scale, unless a line would then be
 * nearly flat: each series has its own scale in that case, and its line ends with the scale. Returns null if there are no values.
 */
export function blockChart(
  series: readonly MetricSeries[],
  { splits, title, unit, paint = (_, text) => text }: ChartOptions,
): string | null {
  const values = series.map(({ metricData }) => metricData.flatMap(({ metricValue }) => metricValue ?? []))
  const common = rangeOf(values.flat())
  if (common === null) return null
  const names = series.map(
    ({ metricData: [first] }) => splits.map((id) => valueText(first?.[id] ?? '–')).join(' · ') || 'all',
  )
  const width = Math.max(...names.map((name) => name.length))
  // Every series has the same columns, even if it starts later or has gaps.
  const periods = [...new Set(series.flatMap(({ metricData }) => metricData.map(labelOf)))].toSorted(inOrder)
  const ranges = values.map(rangeOf)
  const ownScales = ranges.some((range) => range !== null && isNearlyFlat(range, common))
  const lines = series.map(({ metricData }, index) => {
    const found = new Map(metricData.map((point) => [labelOf(point), point.metricValue]))
    const range = (ownScales ? ranges[index] : common) ?? common
    const drawn = periods.map((period) => block(found.get(period) ?? null, range)).join('')
    const scale = ownScales ? `  ${scaleText(range, unit)}` : ''
    const line = `${(names[index] ?? '').padEnd(width)}  ${drawn}${scale}`.trimEnd()
    return paint(styles[index % styles.length] ?? 'cyan', line)
  })
  return `${title}: ${ownScales ? 'each line has its own scale' : scaleText(common, unit)}\n${lines.join('\n')}\n`
}

const rangeOf = (values: readonly number[]): Range | null =>
  values.length === 0 ? null : { least: Math.min(...values), greatest: Math.max(...values) }

/** A line whose values differ, but by less than two of the eight steps of the common scale. */
const isNearlyFlat = ({ least, greatest }: Range, common: Range): boolean =>
  greatest > least && greatest - least < ((common.greatest - common.least) * 2) / (blocks.length - 1)

const block = (value: number | null, { least, greatest }: Range): string =>
  value === null ? ' ' : (blocks[Math.round(((value - least) / (greatest - least || 1)) * (blocks.length - 1))] ?? '')

const scaleText = ({ least, greatest }: Range, unit: string): string =>
  `▁ ${rounded.format(least)} to █ ${rounded.format(greatest)} ${unit}`

const rounded = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })
