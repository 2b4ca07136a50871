import { useEffect, useRef, type KeyboardEvent } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { usePlotSize } from './use-plot-size.ts'

/** Where the reader points: a bucket, and the nearest series of the drawing. */
export type Cursor = { readonly bucket: number; readonly drawn: number | null; readonly left: number }

type Props = {
  label: string
  options: (width: number, height: number) => uPlot.Options
  data: uPlot.AlignedData
  onCursor: (cursor: Cursor | null) => void
}

/** The element that holds a drawing also holds the drawing, so that a test can compare it with the answer. */
export type PlotElement = HTMLDivElement & { plot?: uPlot }

/** uPlot in React's hands: made anew when what is drawn changes, resized with its place, read with arrow keys. */
export function Plot({ label, options, data, onCursor }: Props) {
  const host = useRef<PlotElement>(null)
  const cursorTaker = useRef(onCursor)
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
    const plot = new uPlot({ ...made, hooks: { ...made.hooks, ...hooks } }, data, element)
    element.plot = plot
    return () => {
      plot.destroy()
      delete element.plot
      cursorTaker.current(null)
    }
  }, [options, data])
  usePlotSize(host)

  const move = (event: KeyboardEvent) => {
    const plot = host.current?.plot
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (plot === undefined || step === undefined) return
    event.preventDefault()
    const buckets = plot.data[0]
    const from = plot.cursor.idx ?? (step === 1 ? -1 : buckets.length)
    const to = Math.min(Math.max(from + step, 0), buckets.length - 1)
    plot.setCursor({ left: plot.valToPos(buckets[to] ?? 0, 'x'), top: plot.bbox.height / devicePixelRatio / 2 })
  }
  return (
    // Reading points with arrow keys is what a screen reader calls an application; every value is also in the table.
    <div className="plot" ref={host} role="application" aria-label={label} tabIndex={0} onKeyDown={move} />
  )
}

const cursorOf = ({ idx, left }: uPlot.Cursor, drawn: number | null): Cursor | null =>
  idx === null || idx === undefined || left === undefined || left < 0 ? null : { bucket: idx, drawn, left }
