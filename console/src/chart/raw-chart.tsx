import { useMemo, useState } from 'react'
import type { RawPoint } from '../api/raw-points.ts'
import { aggregationOf } from '../explore/aggregations.ts'
import { useIsDark } from '../parts/theme-choice.tsx'
import { colourName } from './colours.ts'
import { count, shortNumber } from './numbers.ts'
import { plotOptions } from './plot-options.ts'
import { Plot, type Cursor } from './plot.tsx'
import { rawDrawing } from './raw-drawing.ts'
import { splitText } from './series.ts'

type Props = { rows: readonly RawPoint[]; splits: readonly string[]; unit: string; title: string }

const overTime = aggregationOf('hourly')

/** Draws a dot for every result, over the agent's local time. */
export function RawChart({ rows, splits, unit, title }: Props) {
  const isDark = useIsDark()
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const { drawing, options } = useMemo(() => {
    const drawn = rawDrawing(rows, splits)
    return { drawing: drawn, options: plotOptions({ aggregation: overTime, unit, buckets: [] }, drawn.series, []) }
    // The colours are read from the page, so a new theme requires a new drawing.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [rows, splits, unit, isDark])
  const point = drawing.points[cursor?.bucket ?? -1]
  const label = `Chart: ${title}, ${drawing.points.length} single results. Left and right arrows read them; the table has every value.`
  return (
    <>
      <div className="plot-frame">
        <Plot label={label} options={options} data={drawing.data} onCursor={setCursor} isDots />
        {point === undefined || cursor === null ? (
          <div className="readout" hidden />
        ) : (
          <div className="readout" data-side={cursor.left > 320 ? 'left' : 'right'} role="status">
            <strong>{point.dtime.replace('T', ' ')}</strong>
            <div>
              <b>{shortNumber(point.metricValue)}</b> {unit}, agent {point.agent}
            </div>
            {splits.map((id) => (
              <div key={id}>
                {id}: {splitText(point[id])}
              </div>
            ))}
          </div>
        )}
      </div>
      {splits.length > 0 && (
        <ul className="raw-legend" aria-label="Colours">
          {drawing.groups.map(({ name, points }, rank) => (
            <li key={name ?? ''}>
              <span
                className="swatch"
                style={{ background: `var(${name === null ? '--ink-soft' : colourName(rank)})` }}
              />{' '}
              {name ?? 'all others'} <span className="hint">n {count(points)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
