import { fan } from '../chart/fan-drawing.ts'
import { bandsMax } from '../chart/mean-drawing.ts'
import type { Series } from '../chart/series.ts'
import type { View } from './explore-state.ts'

type Props = {
  title: string
  unit: string
  view: View
  shown: readonly Series[]
  isTotal: boolean
  fanOf: Series | undefined
  onFan: (name: string) => void
}

/** Describes the drawing in words. A fan shows one series only, so the caption also lets the user choose the series. */
export function Caption({ title, unit, view, shown, isTotal, fanOf, onFan }: Props) {
  const isFan = view === 'percentiles'
  return (
    <div className="caption">
      <h2>
        {title} <span className="hint">({unit})</span>
      </h2>
      {isFan && !isTotal && shown.length > 1 && (
        <label>
          Of{' '}
          <select value={fanOf?.name ?? ''} onChange={(event) => onFan(event.target.value)}>
            {shown.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <p className="hint">{meaning(isFan, isTotal, shown.length)}</p>
    </div>
  )
}

function meaning(isFan: boolean, isTotal: boolean, lines: number): string {
  if (isFan && isTotal)
    return 'Line: median. Dark: the middle half of the results. Light: from the 5th to the 95th percentile.'
  if (isFan)
    return `Line: median. Shades, from the outside in: ${fan.map(([low, high]) => `${low}–${high} %`).join(', ')} of the results.`
  if (!isTotal && lines > bandsMax)
    return `Intervals are drawn for up to ${bandsMax} lines; point at a line to read its own.`
  return isTotal
    ? 'Bar: mean. Dark end: 95 % interval of the mean.'
    : 'Line: mean. Shade: 95 % interval of the mean. Drag to zoom, double-click to see all.'
}
