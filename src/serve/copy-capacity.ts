import { Fault } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import { keepPace } from './pace.ts'

export type Capacity = {
  readonly enter: () => Promise<void>
  readonly leave: () => void
  /** The refusal that whoever comes now can be spared the way to; null when there is room, or likely to be in time. */
  readonly refusal: () => Fault | null
  readonly load: () => { readonly running: number; readonly waiting: number }
}

/** However fast they go: nobody has that many charts open, and each holds a connection. */
const waitingMax = 256

/**
 * Queries this copy of the service runs at once, whoever asks. Others wait as long as their turn is likely to come in time;
 * whoever would wait in vain is told so at once, not after having waited.
 */
export function limitCapacity(queriesMax: number): Capacity {
  const waiting = new Set<() => void>()
  const pace = keepPace()
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
    if (waiting.size === 0) pace.begin()
    waiting.add(enter)
    return promise
  }
  const refusal = () => {
    if (running < queriesMax) return null
    const isHopeless = waiting.size > 0 && pace.expectedMs(waiting.size + 1) > limits.capacityWaitMs
    return isHopeless || waiting.size >= waitingMax ? busy() : null
  }
  return {
    refusal,
    load: () => ({ running, waiting: waiting.size }),
    enter: async () => {
      const refused = refusal()
      if (refused !== null) throw refused
      // The place is handed on, not given up: nobody can slip in between.
      if (running >= queriesMax) return wait()
      running += 1
    },
    leave: () => {
      const [next] = waiting
      if (next === undefined) {
        running -= 1
        return
      }
      pace.note()
      next()
    },
  }
}

const busy = (): Fault =>
  new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' }, detail: 'more queries than this copy may run' })
