import { useMemo } from 'react'
import type { MetricRequest, Point } from '../api/metric-data.ts'
import { splitText, type Series } from '../chart/series.ts'
import { csvLine } from '../parts/csv.ts'
import { saveFile } from '../parts/save-file.ts'
import { VirtualTable, type Column } from '../parts/virtual-table.tsx'

type Props = { request: MetricRequest; series: readonly Series[] }

/** Every figure of the answer, as it is; the file has them all too. */
export function PointTable({ request, series }: Props) {
  const points = useMemo(() => series.flatMap((one) => one.points), [series])
  const columns = useMemo(() => columnsOf(request, points[0]), [request, points])
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

const figures = [
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

function columnsOf({ splits = [] }: MetricRequest, first: Point | undefined): Column<Point>[] {
  const label = first?.dtime === undefined ? 'aggregatedNumber' : 'dtime'
  const hasLabel = first !== undefined && label in first
  return [
    ...splits.map((id) => ({
      title: id,
      value: (point: Point) => point[id],
      text: (point: Point) => splitText(point[id]),
    })),
    ...(hasLabel ? [{ title: label, value: (point: Point) => point[label] }] : []),
    ...figures.map((key) => ({ title: key, value: (point: Point) => point[key], isNumber: true })),
    ...Object.keys(first?.percentiles ?? {}).map((key) => ({
      title: `percentile_${key}`,
      value: (point: Point) => (point.percentiles as Record<string, number | null>)[key],
      isNumber: true,
    })),
  ]
}
