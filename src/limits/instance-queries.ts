import { limits } from '../base/limits.ts'
import { instanceBusy } from '../base/fault.ts'

export type InstanceQueries = {
  /** Waits until one more query may run; throws the 503. */
  readonly enter: () => Promise<void>
  readonly leave: () => void
  readonly load: () => { readonly running: number; readonly waiting: number }
}

/** Queries of an instance that wait for each that may run; the next is refused. */
const waitingPerQuery = 2

/** Bounds the queries an instance runs at once, of all callers. The others wait in the order they came, for a short time. */
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
      // The place is handed on, not given up: nobody can slip in between.
      const [next] = waiting
      if (next === undefined) running -= 1
      else next()
    },
  }
}

const busy = () => instanceBusy('more queries than this instance may run')
