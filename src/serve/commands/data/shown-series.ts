import type { AggregatedPoint, MetricSeries } from '../../../../clients/typescript/src/index.ts'
import { formulaStart } from '../../../compile/export/export-file.ts'
import { print } from '../../output.ts'
import { SpokenError } from '../../../base/fault.ts'

export type QueryFormat = 'table' | 'csv' | 'json' | 'chart'

type Options = { readonly splits: readonly string[]; readonly format: QueryFormat; readonly title: string }

type Row = Readonly<Record<string, unknown>>

export function shownSeries(series: readonly MetricSeries[], { splits, format, title }: Options): string {
  if (format === 'json') return `${JSON.stringify(series)}\n`
  if (format === 'chart') return chart(series, splits, title)
  const rows = series.flatMap(({ metricData }) => metricData.map((point) => flat(point, splits)))
  return format === 'csv' ? csv(rows) : table(rows)
}

/** Splits first, then the label, then the statistics, with a column for each percentile. */
function flat({ dtime, aggregatedNumber, percentiles, ...point }: AggregatedPoint, splits: readonly string[]): Row {
  const values = Object.fromEntries(splits.map((id) => [id, point[id]]))
  const statistics = Object.entries(point).filter(([name]) => !splits.includes(name))
  const label = dtime ?? aggregatedNumber
  const levels = Object.entries(percentiles ?? {}).map(([key, value]) => [`percentile_${key}`, value])
  return {
    ...values,
    ...(label === undefined ? {} : { period: label }),
    ...Object.fromEntries(statistics),
    ...Object.fromEntries(levels),
  }
}

function table(rows: readonly Row[]): string {
  if (rows.length === 0) return 'Nothing was found.\n'
  let text = ''
  const shown = rows.map((row) => Object.fromEntries(Object.entries(row).filter(isShown).map(rounded)))
  print({ json: false, write: (more) => void (text += more) }, shown)
  return text
}

/** All but the statistics that would not fit on a line; those are in CSV and JSON. */
const hidden = /^(stdDev|unitCount|ci90|ci99|min|max|percentile_.*)$/
const isShown = ([name]: [string, unknown]): boolean => !hidden.test(name)
const rounded = ([name, value]: [string, unknown]): [string, unknown] =>
  typeof value === 'number' && !Number.isInteger(value) ? [name, Number(value.toPrecision(6))] : [name, value]

function csv(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))]
  return lines.map((line) => `${line.map(cell).join(',')}\n`).join('')
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const startsFormula = new RegExp(formulaStart, 'u')

/** Quoted where it must be; a text that a spreadsheet would run as a formula gets an apostrophe. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && startsFormula.test(value) ? `'${value}` : shown(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

type Label = string | number

/** Of an aggregation without periods there is one point, and one place for it. */
const labelOf = ({ dtime, aggregatedNumber }: AggregatedPoint): Label => dtime ?? aggregatedNumber ?? ''

/** Texts are dates, whose order is that of their characters. */
const inOrder = (one: Label, other: Label): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : String(one) < String(other) ? -1 : 1

/** One line a series: its name, a block for each period between the smallest and the largest of all, and the range. */
function chart(series: readonly MetricSeries[], splits: readonly string[], title: string): string {
  const numbers = series.flatMap(({ metricData }) => metricData.flatMap(({ metricValue }) => metricValue ?? []))
  if (numbers.length === 0) return 'Nothing was found.\n'
  const least = Math.min(...numbers)
  const greatest = Math.max(...numbers)
  const names = series.map(
    ({ metricData: [first] }) => splits.map((id) => shown(first?.[id] ?? '–')).join(' · ') || 'all',
  )
  const width = Math.max(...names.map((name) => name.length))
  const block = (value: number | null): string =>
    value === null ? ' ' : (blocks[Math.round(((value - least) / (greatest - least || 1)) * (blocks.length - 1))] ?? '')
  // The same period stands in the same column, also of a series that begins later or has gaps.
  const periods = [...new Set(series.flatMap(({ metricData }) => metricData.map(labelOf)))].toSorted(inOrder)
  const lines = series.map(({ metricData }, index) => {
    const values = new Map(metricData.map((point) => [labelOf(point), point.metricValue]))
    const shownBlocks = periods.map((period) => block(values.get(period) ?? null)).join('')
    return `${(names[index] ?? '').padEnd(width)}  ${shownBlocks}`.trimEnd()
  })
  return `${title}: ${least.toPrecision(4)} ▁ to ${greatest.toPrecision(4)} █\n${lines.join('\n')}\n`
}

type Filter = { id: string; filterType: 'include' | 'exclude'; filterValues: string[] }

/** `isp=Acme`, `isp=Other`, `country!=FR` → one filter for each id and direction; their values are alternatives. */
export function parseFilter(options: readonly string[]): Filter[] {
  const filters = new Map<string, Filter>()
  for (const option of options) {
    const [, id, not, value] = /^([^=!]+)(!?)=(.*)$/s.exec(option) ?? []
    if (id === undefined || value === undefined)
      throw new SpokenError(`--filter takes id=value or id!=value, not "${option}"`)
    const filterType = not === '' ? 'include' : 'exclude'
    const filter = filters.get(`${filterType} ${id}`) ?? { id, filterType, filterValues: [] }
    filters.set(`${filterType} ${id}`, { ...filter, filterValues: [...filter.filterValues, value] })
  }
  return [...filters.values()]
}
