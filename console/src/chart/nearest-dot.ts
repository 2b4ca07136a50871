import type uPlot from 'uplot'

/** A dot within this distance counts as being at the mouse, because users cannot point more precisely. */
const reachPixels = 6

/**
 * Among the dots at the mouse's horizontal position, returns the one that is nearest vertically. Many dots may have the same
 * time.
 */
export function nearestDot(plot: uPlot, closest: number): number {
  const { left = 0, top = 0 } = plot.cursor
  const [times] = plot.data
  const isInReach = (at: number) => {
    const time = times[at]
    return time !== undefined && Math.abs(plot.valToPos(time, 'x') - left) <= reachPixels
  }
  let first = closest
  while (isInReach(first - 1)) first -= 1
  let nearest = { at: closest, distance: Infinity }
  for (let at = first; isInReach(at); at += 1) {
    const distance = Math.abs(dotTop(plot, at) - top)
    if (distance < nearest.distance) nearest = { at, distance }
  }
  return nearest.at
}

/** The distance of a dot from the upper edge. At each index, only one series has a value. */
export function dotTop(plot: uPlot, at: number): number {
  const [, ...columns] = plot.data
  const column = columns.find((values) => typeof values[at] === 'number')
  return plot.valToPos(column?.[at] ?? 0, 'y')
}
