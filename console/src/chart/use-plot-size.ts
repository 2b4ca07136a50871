import { useEffect, type RefObject } from 'react'
import type { PlotElement } from './plot.tsx'

/** Keeps a drawing as large as its place. */
export function usePlotSize(host: RefObject<PlotElement | null>): void {
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
