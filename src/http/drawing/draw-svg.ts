import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { instanceBusy } from '../../base/fault.ts'
import { semaphore } from '../../base/semaphore.ts'
import type { Surroundings } from '../../envelope/charts/chart-option.ts'
import type { DrawnAnswer } from '../../envelope/charts/drawn-answer.ts'

export type DrawingTask = { readonly answer: DrawnAnswer; readonly around: Surroundings }

export type SvgDrawer = {
  /** Draws a chart as SVG. Throws a 503 if too many charts wait, or if one takes too long. */
  readonly draw: (task: DrawingTask) => Promise<string>
  readonly close: () => Promise<void>
}

/** A chart takes tenths of a second, and the first one also the seconds to load ECharts. */
const drawingMsMax = 15_000
const waitingMax = 20
const heapMbMax = 256

/**
 * Draws in a thread, one chart at a time: ECharts would block the event loop for tens of milliseconds per chart. The thread
 * starts with the first chart, so that an instance that draws nothing loads nothing. It never keeps the process running.
 */
export function svgDrawer(): SvgDrawer {
  const inTurn = semaphore(1, { max: waitingMax, refuse: () => instanceBusy('too many charts wait to be drawn') })
  let worker: Worker | null = null
  const draw = async (task: DrawingTask): Promise<string> => {
    const current = (worker ??= startThread())
    try {
      return await answerOf(current, task)
    } catch (error) {
      worker = null
      await current.terminate()
      throw error
    }
  }
  return {
    draw: (task) => inTurn(() => draw(task)),
    close: async () => {
      await worker?.terminate()
    },
  }
}

function startThread(): Worker {
  // The files of the published package are JavaScript.
  const path = join(import.meta.dirname, `drawing-worker${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`)
  const worker = new Worker(path, { resourceLimits: { maxOldGenerationSizeMb: heapMbMax } })
  worker.unref()
  return worker
}

/** Sends a task to the thread, and waits for its answer, its end or the time limit. */
async function answerOf(worker: Worker, task: DrawingTask): Promise<string> {
  const over = new AbortController()
  const { signal } = over
  const event = async (name: 'message' | 'exit'): Promise<unknown> => (await once(worker, name, { signal }))[0]
  const timer = setTimeout(() => over.abort(instanceBusy('a chart took too long to draw')), drawingMsMax)
  try {
    // `once` rejects if the thread fails.
    const ended = event('exit').then(() => Promise.reject(new Error('the thread that draws charts has ended')))
    const drawn = event('message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(task)
    return String(await Promise.race([drawn, ended]))
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    clearTimeout(timer)
    over.abort()
  }
}
