import { parentPort } from 'node:worker_threads'
import { BarChart, CustomChart, LineChart } from 'echarts/charts.js'
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components.js'
import { init, use } from 'echarts/core.js'
import { SVGRenderer } from 'echarts/renderers.js'
import { chartDrawing } from '../../envelope/charts/chart-option.ts'
import type { DrawingTask } from './draw-svg.ts'

use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])

/** Draws one chart for each message, and answers with its SVG. The service sends the next one only after the answer. */
parentPort?.on('message', ({ answer, around }: DrawingTask) => {
  const { width, height, option } = chartDrawing(answer, around)
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    chart.setOption(option)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage(chart.renderToSVGString())
  } finally {
    chart.dispose()
  }
})
