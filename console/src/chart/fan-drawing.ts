import type uPlot from 'uplot'
import type { PercentileKey } from '../api/metric-data.ts'
import type { Aligned } from './aligned.ts'
import { colour, colourName, faint } from './colours.ts'
import type { Drawing } from './mean-drawing.ts'
import { dots } from './plot-options.ts'

/** The bands from the widest to the narrowest. Each contains the bands after it. */
export const fan: readonly (readonly [PercentileKey, PercentileKey, string])[] = [
  ['1', '99', '98 % of results'],
  ['5', '95', '90 %'],
  ['10', '90', '80 %'],
  ['25', '75', 'the middle half'],
]

/** Draws the percentiles of one series as nested bands around its median. */
export function fanDrawing({ buckets, columns }: Aligned, column: number): Drawing {
  const { series: { rank = 0, name = '' } = {}, points = [] } = columns[column] ?? {}
  const stroke = colour(colourName(rank))
  const level = (key: PercentileKey) => points.map((point) => point?.percentiles[key] ?? null)
  const hidden: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false } }
  const series: uPlot.Series[] = []
  const bands: uPlot.Band[] = []
  const data: (number | null)[][] = []
  for (const [low, high] of fan) {
    bands.push({ series: [data.length + 1, data.length + 2], fill: faint(stroke, 0.16) })
    series.push(hidden, hidden)
    data.push(level(high), level(low))
  }
  const median = level('50')
  series.push({ label: name, stroke, width: 2, points: dots(median) })
  return { series, bands, data: [[...buckets], ...data, median], columnOf: [0, ...Array(series.length).fill(column)] }
}
