import { Fault } from '../base/fault.ts'
import { limits } from '../base/limits.ts'

export type Capacity = { readonly enter: () => Promise<void>; readonly leave: () => void }

/**
 * Queries this copy of the service runs at once, whoever asks. As many again may wait, and not for long: overload is
 * answered at once instead of growing.
 */
export function limitCapacity(queriesMax: number): Capacity {
  const waiting = new Set<() => void>()
  let running = 0
  const wait = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      waiting.delete(enter)
      reject(busy())
    }, limits.queryWaitMs)
    const enter = () => {
      clearTimeout(timer)
      waiting.delete(enter)
      resolve()
    }
    waiting.add(enter)
    return promise
  }
  return {
    enter: async () => {
      if (running >= queriesMax) {
        if (waiting.size >= queriesMax) throw busy()
        // The place is handed on, not given up: nobody can slip in between.
        return wait()
      }
      running += 1
    },
    leave: () => {
      const [next] = waiting
      if (next === undefined) running -= 1
      else next()
    },
  }
}

const busy = (): Fault =>
  new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' }, detail: 'more queries than this copy may run' })
