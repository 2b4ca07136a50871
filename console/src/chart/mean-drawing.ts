import type uPlot from 'uplot'
import type { Aligned } from './aligned.ts'
import { colour, colourName, dashOf, faint } from './colours.ts'
import { dots } from './plot-options.ts'

/** Maximum number of bands. With more, they would cover each other. */
export const bandsMax = 6

export type Drawing = {
  series: uPlot.Series[]
  bands: uPlot.Band[]
  data: uPlot.AlignedData
  columnOf: readonly number[]
}

/**
 * Draws one line per series. If there are few series, it also draws the 95 % interval of each behind its line. `columnOf` maps
 * a drawn column to its series.
 */
export function meanDrawing({ buckets, columns }: Aligned): Drawing {
  const isBanded = columns.length <= bandsMax
  const drawing: Drawing = { series: [], bands: [], data: [[...buckets]], columnOf: [] }
  const data: (number | null)[][] = []
  const columnOf: number[] = [0]
  for (const [column, { series, points }] of columns.entries()) {
    const stroke = colour(colourName(series.rank))
    const values = points.map((point) => point?.metricValue ?? null)
    const add = (line: uPlot.Series, drawn: (number | null)[]) => {
      drawing.series.push(line)
      data.push(drawn)
      columnOf.push(column)
    }
    add({ label: series.name, stroke, width: 1.8, dash: dashOf(series.rank), points: dots(values) }, values)
    if (!isBanded) continue
    const edge = (sign: 1 | -1) =>
      points.map((point) => (point === null ? null : sumOrNull(point.metricValue, point.ci95, sign)))
    const at = drawing.series.length
    const hidden: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false } }
    add(hidden, edge(1))
    add(hidden, edge(-1))
    drawing.bands.push({ series: [at + 1, at + 2], fill: faint(stroke, 0.18) })
  }
  return { ...drawing, data: [[...buckets], ...data], columnOf }
}

const sumOrNull = (value: number | null, interval: number | null, sign: number): number | null =>
  value === null || interval === null ? null : value + sign * interval
