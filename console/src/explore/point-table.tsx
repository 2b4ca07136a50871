import { useMemo } from 'react'
import type { MetricRequest, Point } from '../api/metric-data.ts'
import { splitText, type Series } from '../chart/series.ts'
import { csvLine } from '../parts/csv.ts'
import { saveFile } from '../parts/save-file.ts'
import { VirtualTable, type Column } from '../parts/virtual-table.tsx'

type Props = { request: MetricRequest; series: readonly Series[] }

/**
 * Shows every number of the response without rounding. The file contains the same numbers. Usual statistics come
 * first, except in answers to presets.
 */
export function PointTable({ request, series }: Props) {
  const points = useMemo(() => series.flatMap((one) => one.points), [series])
  const columns = useMemo(() => columnsOf(request, points), [request, points])
  const save = () =>
    saveFile(`${request.metric}-${request.aggregation}.csv`, 'text/csv;charset=utf-8', [
      csvLine(columns.map(({ title }) => title)),
      ...points.map((point) => csvLine(columns.map(({ value }) => value(point)))),
    ])
  return (
    <>
      <p className="row">
        <span className="hint">{points.length.toLocaleString('en')} points</span>
        <button type="button" onClick={save}>
          Save as CSV
        </button>
      </p>
      <VirtualTable label="Every point" columns={columns} rows={points} />
    </>
  )
}

const numericKeys = [
  'metricValue',
  'ci95',
  'sampleCount',
  'agentCount',
  'unitCount',
  'median',
  'stdDev',
  'min',
  'max',
  'ci90',
  'ci99',
] as const

function columnsOf({ splits = [], preset }: MetricRequest, points: readonly Point[]): Column<Point>[] {
  const [first] = points
  const label = first?.dtime === undefined ? 'aggregatedNumber' : 'dtime'
  const hasLabel = first !== undefined && label in first
  const usual = numericKeys.map((key) => ({ title: key, value: (point: Point) => point[key], isNumber: true }))
  const percentiles = Object.keys(first?.percentiles ?? {}).map((key) => ({
    title: `percentile_${key}`,
    value: (point: Point) => (point.percentiles as Record<string, number | null>)[key],
    isNumber: true,
  }))
  const others = otherMembers(points, [...splits, label, 'percentiles', ...numericKeys]).map((key) => ({
    title: key,
    value: (point: Point) => point[key],
    text: (point: Point) => (point[key] === undefined ? '' : splitText(point[key])),
    isNumber: typeof first?.[key] === 'number',
  }))
  return [
    ...splits.map((id) => ({
      title: id,
      value: (point: Point) => point[id],
      text: (point: Point) => splitText(point[id]),
    })),
    ...(hasLabel ? [{ title: label, value: (point: Point) => point[label] }] : []),
    ...(preset === undefined ? [...usual, ...percentiles, ...others] : [...others, ...percentiles, ...usual]),
  ]
}

/** Members that not all answers have, such as the share of a preset, or the reason why a value could mislead. */
const otherMembers = (points: readonly Point[], known: readonly string[]): string[] =>
  [...new Set(points.flatMap((point) => Object.keys(point)))].filter((key) => !known.includes(key))
