import { useMemo, useState } from 'react'
import type { Aggregation } from '../explore/aggregations.ts'
import { useIsDark } from '../parts/theme-choice.tsx'
import { align } from './aligned.ts'
import { fanDrawing } from './fan-drawing.ts'
import { meanDrawing } from './mean-drawing.ts'
import { plotOptions } from './plot-options.ts'
import { Plot, type Cursor } from './plot.tsx'
import { Readout } from './readout.tsx'
import type { Series } from './series.ts'

type Props = {
  /** The visible series. */
  series: readonly Series[]
  aggregation: Aggregation
  unit: string
  title: string
  /** Index of the series whose percentiles are drawn. If it is null, the means of all series are drawn. */
  fanOf: number | null
}

/** Draws lines over time, hours of the day, weekdays or days. */
export function BucketChart({ series, aggregation, unit, title, fanOf }: Props) {
  const isDark = useIsDark()
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const aligned = useMemo(() => align(series, aggregation), [series, aggregation])
  const { drawing, options } = useMemo(() => {
    const drawn = fanOf === null ? meanDrawing(aligned) : fanDrawing(aligned, fanOf)
    return {
      drawing: drawn,
      options: plotOptions({ aggregation, unit, buckets: aligned.buckets }, drawn.series, drawn.bands),
    }
    // The colours are read from the page, so a new theme requires a new drawing.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [aligned, aggregation, unit, fanOf, isDark])
  const label = `Chart: ${title}. ${series.length} lines, ${aligned.buckets.length} points along the axis. Left and right arrows read the points; the table has every value.`
  return (
    <div className="plot-frame">
      <Plot label={label} options={options} data={drawing.data} onCursor={setCursor} />
      <Readout
        aligned={aligned}
        aggregation={aggregation}
        unit={unit}
        cursor={cursor}
        column={fanOf ?? drawing.columnOf[cursor?.drawn ?? -1] ?? null}
      />
    </div>
  )
}
