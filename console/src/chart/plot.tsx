import { useEffect, useRef, type KeyboardEvent, type RefObject } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { dotTop, nearestDot } from './nearest-dot.ts'

/** The cursor's position: a bucket, and the nearest series in the drawing. */
export type Cursor = { readonly bucket: number; readonly drawn: number | null; readonly left: number }

type Props = {
  label: string
  options: (width: number, height: number) => uPlot.Options
  data: uPlot.AlignedData
  onCursor: (cursor: Cursor | null) => void
  /** True if the drawing shows single results instead of lines. Several results may have the same position on the axis. */
  isDots?: boolean
}

/** The DOM element has a reference to its uPlot object, so that a test can compare the drawing with the response. */
export type PlotElement = HTMLDivElement & { plot?: uPlot }

/**
 * A React component for uPlot. It is created again when the drawing changes, has the size of its element, and supports arrow
 * keys.
 */
export function Plot({ label, options, data, onCursor, isDots = false }: Props) {
  const host = useRef<PlotElement>(null)
  const cursorTaker = useRef(onCursor)
  // The index that the user selected with arrow keys, until the mouse moves. The position on the axis is not sufficient: the
  // next point may have the same position.
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
    // uPlot calls this function once per series, first for the time axis (series 0). All series use the index that was found
    // for the axis.
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
    // A screen reader passes arrow keys only to an element with the role "application". Every value is also in the table.
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

/** Resizes a drawing when the size of its element changes. */
function usePlotSize(host: RefObject<PlotElement | null>): void {
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => {
      const { plot, clientWidth: width, clientHeight: height } = element
      if (plot !== undefined && width > 0 && (plot.width !== width || plot.height !== height)) {
        plot.setSize({ width, height })
      }
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [host])
}

const cursorOf = ({ idx, idxs, left }: uPlot.Cursor, drawn: number | null): Cursor | null =>
  idx === null || idx === undefined || left === undefined || left < 0 ? null : { bucket: idxs?.[0] ?? idx, drawn, left }

/** Returns the index of the next visible point. If no point is selected, returns the first or the last one. */
function stepTo({ data: [times], series: [axis] }: uPlot, from: number | undefined, step: number): number {
  const [first, last] = axis?.idxs ?? [0, times.length - 1]
  return Math.min(Math.max((from ?? (step === 1 ? first - 1 : last + 1)) + step, first), last)
}
