import type { Point } from '../api/metric-data.ts'
import type { Aggregation } from '../explore/aggregations.ts'
import type { Aligned } from './aligned.ts'
import { bucketLabel } from './bucket-label.ts'
import { colourName } from './colours.ts'
import { agents, count, shortNumber } from './numbers.ts'
import type { Cursor } from './plot.tsx'

type Props = {
  aligned: Aligned
  aggregation: Aggregation
  unit: string
  cursor: Cursor | null
  /** Index of the series at the cursor, or null if there is none. */
  column: number | null
}

const linesMax = 12

/** Shows the value at the cursor, its interval, and its numbers of results and agents. */
export function Readout({ aligned, aggregation, unit, cursor, column }: Props) {
  if (cursor === null) return <div className="readout" hidden />
  const bucket = aligned.buckets[cursor.bucket]
  const lines = aligned.columns
    .map(({ series, points }, index) => ({ series, index, point: points[cursor.bucket] ?? null }))
    .filter(
      ({ point, index }) =>
        point !== null && (column === null || aligned.columns.length <= linesMax || index === column),
    )
    .toSorted((one, other) => (other.point?.metricValue ?? 0) - (one.point?.metricValue ?? 0))
  const side = cursor.left > 320 ? 'left' : 'right'
  return (
    <div className="readout" data-side={side} role="status">
      <strong>{bucket === undefined ? '' : bucketLabel(bucket, aggregation)}</strong>
      {lines.slice(0, linesMax).map(({ series, index, point }) => (
        <div key={series.name} className={index === column ? 'pointed' : undefined}>
          <span className="swatch" style={{ background: `var(${colourName(series.rank)})` }} /> {series.name}:{' '}
          {point !== null && <PointText point={point} unit={unit} isFull={index === column || lines.length === 1} />}
        </div>
      ))}
      {lines.length > linesMax && <div>and {lines.length - linesMax} more</div>}
      {lines.length === 0 && <div>No results</div>}
    </div>
  )
}

function PointText({ point, unit, isFull }: { point: Point; unit: string; isFull: boolean }) {
  const interval = point.ci95 === null ? '' : ` ± ${shortNumber(point.ci95)}`
  return (
    <>
      <b>
        {shortNumber(point.metricValue)}
        {interval}
      </b>{' '}
      {unit}, n {count(point.sampleCount)}, {agents(point.agentCount)}
      {isFull && (
        <>
          <br />
          median {shortNumber(point.median)}, 5–95 %: {shortNumber(point.percentiles['5'])}–
          {shortNumber(point.percentiles['95'])}
        </>
      )}
    </>
  )
}
