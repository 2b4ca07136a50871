import uPlot from 'uplot'
import type { Aggregation } from '../explore/aggregations.ts'
import { shortLabel } from './bucket-label.ts'
import { colour } from './colours.ts'
import { shortNumber } from './numbers.ts'

/**
 * Each row contains a minimum distance between axis ticks in seconds, the label of a tick, and a second line where the year or
 * the day changes. The day precedes the month, as in British English.
 */
const timeLabels: readonly (string | number | null)[][] = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
]

export type Frame = { aggregation: Aggregation; unit: string; buckets: readonly number[] }

/** The axes, scales and cursor of all drawings over buckets. */
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
    // The labels are local times. They are interpreted as UTC, so that the browser's time zone does not shift them.
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
        values: (_plot, splits) => splits.map((value) => shortNumber(value)),
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

/**
 * The distance from the cursor to a line. uPlot treats the edges of bands as series without a line; the cursor must never
 * select them.
 */
const distanceToLine = (plot: uPlot, index: number, _bucket: number, at: number, cursor: number): number =>
  plot.series[index]?.width === 0 ? Infinity : at - cursor

const shapeRange = (buckets: readonly number[]): uPlot.Range.MinMax => [
  (buckets[0] ?? 0) - 0.5,
  (buckets.at(-1) ?? 1) + 0.5,
]

/**
 * Adds a margin on both sides of the time scale. Without it, if several points are exactly at the end of the scale, uPlot
 * would draw only the first of them.
 */
const timeRange = (_plot: uPlot, min: number, max: number): uPlot.Range.MinMax =>
  min === null || max === null ? [null, null] : [min - 0.5, max + 0.5]

/** The axis starts at zero, unless differences would then be too small to see. The labels of the axis show where it starts. */
function valueRange(_plot: uPlot, min: number, max: number): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1]
  const low = min >= 0 && min < 0.6 * max ? 0 : min - (max - min || Math.abs(max) || 1) * 0.1
  return [low, max + (max - low || 1) * 0.05]
}

/** Draws points if there is room. A point without neighbours is always drawn, because a line with one point is invisible. */
export function dots(values: readonly (number | null)[]): uPlot.Series.Points {
  const isEmpty = (at: number) => (values[at] ?? null) === null
  const lonely = [...values.keys()].filter((at) => !isEmpty(at) && isEmpty(at - 1) && isEmpty(at + 1))
  return { fill: colour('--paper'), filter: (_plot, _index, isRoomy) => (isRoomy ? null : lonely) }
}
