import { limits } from '../base/limits.ts'
import { instanceBusy } from '../base/fault.ts'

export type InstanceQueries = {
  /** Waits until one more query may run. Throws a 503 if the queue is full or the wait takes too long. */
  readonly enter: () => Promise<void>
  readonly leave: () => void
  readonly load: () => { readonly running: number; readonly waiting: number }
}

/** The queue holds this many waiting queries for each query that may run. */
const waitingPerQuery = 2

/** Limits how many queries of all callers an instance runs at a time. Further queries wait briefly, first in, first out. */
export function limitInstanceQueries(queriesMax: number): InstanceQueries {
  const waiting = new Set<() => void>()
  let running = 0
  const wait = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      waiting.delete(enter)
      reject(busy())
    }, limits.capacityWaitMs)
    const enter = () => {
      clearTimeout(timer)
      waiting.delete(enter)
      resolve()
    }
    waiting.add(enter)
    return promise
  }
  return {
    load: () => ({ running, waiting: waiting.size }),
    enter: async () => {
      if (running >= queriesMax) {
        if (waiting.size >= queriesMax * waitingPerQuery) throw busy()
        return wait()
      }
      running += 1
    },
    leave: () => {
      // The slot passes directly to the next waiting query, so a newer query cannot overtake it.
      const [next] = waiting
      if (next === undefined) running -= 1
      else next()
    },
  }
}

const busy = () => instanceBusy('more queries than this instance may run')
