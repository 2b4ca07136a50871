import type uPlot from 'uplot'
import type { RawPoint } from '../api/raw-points.ts'
import { colour, colourName, faint } from './colours.ts'
import { splitText } from './series.ts'

const groupsMax = 9

export type RawDrawing = {
  readonly series: uPlot.Series[]
  readonly data: uPlot.AlignedData
  /** The points in the order of the drawing, which is by time. */
  readonly points: readonly RawPoint[]
  /** The groups with the most points come first. The group of all remaining points has the name null. */
  readonly groups: readonly { readonly name: string | null; readonly points: number }[]
}

/** The local time in seconds, interpreted as UTC so that the browser's time zone does not shift it. */
const secondsOf = ({ dtime }: RawPoint): number => Date.parse(`${dtime}Z`) / 1000

/** Draws a dot for every result that has a value. If there are few combinations of splits, each has its own colour. */
export function rawDrawing(rows: readonly RawPoint[], splits: readonly string[]): RawDrawing {
  const nameOf = (point: RawPoint) =>
    splits.length === 0 ? 'All' : splits.map((id) => splitText(point[id])).join(' · ')
  const points = rows
    .filter(({ metricValue }) => metricValue !== null)
    .toSorted((one, other) => secondsOf(one) - secondsOf(other))
  const counts = [...Map.groupBy(points, nameOf)].map(([name, all]) => ({ name, points: all.length }))
  const ranked = counts.toSorted((one, other) => other.points - one.points)
  const shown = ranked.slice(0, groupsMax)
  const others = ranked.slice(groupsMax).reduce((sum, { points: number }) => sum + number, 0)
  const groups = [...shown, ...(others === 0 ? [] : [{ name: null, points: others }])]
  const columnOf = new Map<string, number>(shown.map(({ name }, index) => [name, index]))
  const columns = groups.map(() => Array<number | null>(points.length).fill(null))
  for (const [at, point] of points.entries()) {
    const column = columns[columnOf.get(nameOf(point)) ?? groupsMax]
    if (column !== undefined) column[at] = point.metricValue
  }
  return {
    series: groups.map(({ name }, rank) => dots(name ?? 'others', name === null ? '--ink-soft' : colourName(rank))),
    data: [points.map(secondsOf), ...columns],
    points,
    groups,
  }
}

function dots(label: string, name: string): uPlot.Series {
  const stroke = colour(name)
  return { label, stroke, paths: () => null, points: { show: true, size: 4, width: 0, fill: faint(stroke, 0.6) } }
}
