import uPlot from 'uplot'
import type { Aggregation } from '../explore/aggregations.ts'
import { shortLabel } from './bucket-label.ts'
import { colour } from './colours.ts'
import { figure } from './figures.ts'

/** From which step of the axis on, what is written, and what is added where the year or the day changes. Days before months, as people here read. */
const timeLabels: readonly (string | number | null)[][] = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
]

export type Frame = { aggregation: Aggregation; unit: string; buckets: readonly number[] }

/** Axes, scales and cursor: what all drawings over buckets have in common. */
export function plotOptions(
  { aggregation, unit, buckets }: Frame,
  series: uPlot.Series[],
  bands: uPlot.Band[],
): (width: number, height: number) => uPlot.Options {
  const ink = colour('--ink-soft')
  const grid = { stroke: colour('--line'), width: 1 }
  const isTime = aggregation.shape === 'time'
  const axis: uPlot.Axis = { stroke: ink, grid, ticks: grid, font: '12px system-ui, sans-serif' }
  return (width, height) => ({
    width,
    height,
    // Labels are wall clocks, read as UTC so that the reader's own zone does not move them.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    padding: [12, 16, 0, 0],
    legend: { show: false },
    scales: { x: { time: isTime, range: isTime ? timeRange : shapeRange(buckets) }, y: { range: valueRange } },
    axes: [
      {
        ...axis,
        ...(isTime
          ? { values: [...timeLabels] }
          : {
              incrs: [1, 2, 3, 6],
              values: (_plot, splits) => splits.map((at) => shortLabel(at, aggregation)),
            }),
      },
      {
        ...axis,
        size: 64,
        values: (_plot, splits) => splits.map((value) => figure(value)),
        label: unit,
        labelSize: 20,
        labelFont: '12px system-ui, sans-serif',
      },
    ],
    series: [{}, ...series],
    bands,
    focus: { alpha: 0.35 },
    cursor: {
      focus: { prox: 24, dist: distanceToLine },
      y: false,
      points: { size: 9, one: true, fill: ink, stroke: ink },
      drag: { x: isTime, y: false },
    },
  })
}

/** The edges of bands are series to uPlot, drawn without a line; the one pointed at is always a line. */
const distanceToLine = (plot: uPlot, index: number, _bucket: number, at: number, cursor: number): number =>
  plot.series[index]?.width === 0 ? Infinity : at - cursor

const shapeRange = (buckets: readonly number[]): uPlot.Range.MinMax => [
  (buckets[0] ?? 0) - 0.5,
  (buckets.at(-1) ?? 1) + 0.5,
]

/** A little to either side: of several points on its very end a scale would take in the first and leave out the others. */
const timeRange = (_plot: uPlot, min: number, max: number): uPlot.Range.MinMax =>
  min === null || max === null ? [null, null] : [min - 0.5, max + 0.5]

/** From zero, unless that would flatten what there is to see: the axis says which. */
function valueRange(_plot: uPlot, min: number, max: number): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1]
  const low = min >= 0 && min < 0.6 * max ? 0 : min - (max - min || Math.abs(max) || 1) * 0.1
  return [low, max + (max - low || 1) * 0.05]
}

/** Points are drawn where there is room, and always where a point has no neighbour: a line of one point is invisible. */
export function dots(values: readonly (number | null)[]): uPlot.Series.Points {
  const isEmpty = (at: number) => (values[at] ?? null) === null
  const lonely = [...values.keys()].filter((at) => !isEmpty(at) && isEmpty(at - 1) && isEmpty(at + 1))
  return { fill: colour('--paper'), filter: (_plot, _index, isRoomy) => (isRoomy ? null : lonely) }
}
