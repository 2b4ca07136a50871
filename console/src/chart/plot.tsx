import { useEffect, useRef, type KeyboardEvent } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { dotTop, nearestDot } from './nearest-dot.ts'
import { usePlotSize } from './use-plot-size.ts'

/** Where the reader points: a bucket, and the nearest series of the drawing. */
export type Cursor = { readonly bucket: number; readonly drawn: number | null; readonly left: number }

type Props = {
  label: string
  options: (width: number, height: number) => uPlot.Options
  data: uPlot.AlignedData
  onCursor: (cursor: Cursor | null) => void
  /** Single results, several of which may stand on one spot of the axis, rather than lines. */
  isDots?: boolean
}

/** The element that holds a drawing also holds the drawing, so that a test can compare it with the answer. */
export type PlotElement = HTMLDivElement & { plot?: uPlot }

/** uPlot in React's hands: made anew when what is drawn changes, resized with its place, read with arrow keys. */
export function Plot({ label, options, data, onCursor, isDots = false }: Props) {
  const host = useRef<PlotElement>(null)
  const cursorTaker = useRef(onCursor)
  // Where the keys have led, until the mouse moves. The place on the axis does not tell: the next point may have the same.
  const keyed = useRef<number | null>(null)
  useEffect(() => {
    cursorTaker.current = onCursor
  })
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const made = options(element.clientWidth, element.clientHeight)
    const hooks: uPlot.Hooks.Arrays = {
      setCursor: [({ cursor }) => cursorTaker.current(cursorOf(cursor, focused))],
      setSeries: [(_plot, index) => void (focused = index)],
    }
    let focused: number | null = null
    let pointed = 0
    // Asked for every series in turn, the axis first: one search is enough.
    const dataIdx: uPlot.Cursor.DataIdxRefiner = (asking, series, closest) => {
      if (series === 0) pointed = keyed.current ?? (isDots ? nearestDot(asking, closest) : closest)
      return pointed
    }
    const cursor = { ...made.cursor, dataIdx }
    const plot = new uPlot({ ...made, cursor, hooks: { ...made.hooks, ...hooks } }, data, element)
    element.plot = plot
    return () => {
      plot.destroy()
      delete element.plot
      keyed.current = null
      cursorTaker.current(null)
    }
  }, [options, data, isDots])
  usePlotSize(host)

  const move = (event: KeyboardEvent) => {
    const plot = host.current?.plot
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (plot === undefined || step === undefined || plot.data[0].length === 0) return
    event.preventDefault()
    const to = stepTo(plot, keyed.current ?? cursorOf(plot.cursor, null)?.bucket, step)
    keyed.current = to
    const top = isDots ? dotTop(plot, to) : plot.bbox.height / devicePixelRatio / 2
    plot.setCursor({ left: plot.valToPos(plot.data[0][to] ?? 0, 'x'), top })
  }
  const forgetKeys = () => void (keyed.current = null)
  return (
    // Reading points with arrow keys is what a screen reader calls an application; every value is also in the table.
    <div
      className="plot"
      ref={host}
      role="application"
      aria-label={label}
      tabIndex={0}
      onKeyDown={move}
      onMouseMoveCapture={forgetKeys}
    />
  )
}

const cursorOf = ({ idx, idxs, left }: uPlot.Cursor, drawn: number | null): Cursor | null =>
  idx === null || idx === undefined || left === undefined || left < 0 ? null : { bucket: idxs?.[0] ?? idx, drawn, left }

/** The next point among those in view, the first or the last of them to begin with. */
function stepTo({ data: [times], series: [axis] }: uPlot, from: number | undefined, step: number): number {
  const [first, last] = axis?.idxs ?? [0, times.length - 1]
  return Math.min(Math.max((from ?? (step === 1 ? first - 1 : last + 1)) + step, first), last)
}
