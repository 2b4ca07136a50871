import type { Scope } from './caller.ts'
import { callerLeft } from './fault.ts'

/** `max` is the maximum length of the queue. `refuse` creates the error that is thrown when the queue is full. */
type Queue = { readonly max: number; readonly refuse: () => Error }

/** Runs up to `atOnceMax` tasks at the same time. Further tasks wait in FIFO order. */
export function semaphore(
  atOnceMax: number,
  allowed?: Queue,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnceMax) running += 1
    else if (allowed !== undefined && waiting.length >= allowed.max) throw allowed.refuse()
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The slot passes directly to the next waiting task, so that a new task cannot take it first.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

export type SemaphoreQueue = NonNullable<Parameters<typeof semaphore>[1]>

/** One semaphore per key, each with `atOnceMax` slots. Keys without tasks take no memory. */
export function keyedSemaphore(
  atOnceMax: number,
  queue?: SemaphoreQueue,
): <Result>(key: number | string, work: () => Promise<Result>) => Promise<Result> {
  const keys = new Map<number | string, { present: number; readonly turns: ReturnType<typeof semaphore> }>()
  return async (key, work) => {
    const own = keys.get(key) ?? { present: 0, turns: semaphore(atOnceMax, queue) }
    keys.set(key, own)
    own.present += 1
    try {
      return await own.turns(work)
    } finally {
      own.present -= 1
      if (own.present === 0) keys.delete(key)
    }
  }
}

export type SlotLimits = {
  /** Number of slots for all organisations together. */
  readonly max: number
  /** Number of slots for one organisation: less than `max`, so that one organisation cannot block the others. */
  readonly ownMax: number
  /** The queue of one organisation; unbounded by default. */
  readonly queue?: SemaphoreQueue
}

/** Runs `work` when a slot is free. Throws if the caller has disconnected while it waited. */
export type RunInSlot = <Result>(scope: Scope, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>

/** A semaphore for all organisations; one organisation can hold at most `ownMax` slots. */
export function organisationSlots({ max, ownMax, queue }: SlotLimits): RunInSlot {
  const inOwnTurn = keyedSemaphore(ownMax, queue)
  const inTurn = semaphore(max)
  return ({ organisationId }, signal, work) =>
    inOwnTurn(organisationId, () =>
      inTurn(async () => {
        if (signal.aborted) throw callerLeft()
        return work()
      }),
    )
}

/**
 * Runs tasks with the same name one after another, even if an earlier one fails. Throws if the caller disconnects while its
 * task waits.
 */
export function keyedMutex(): <Result>(
  name: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result> {
  const underWay = new Map<string, Promise<unknown>>()
  return async (name, signal, work) => {
    for (let earlier = underWay.get(name); earlier !== undefined; earlier = underWay.get(name)) {
      await Promise.race([earlier, aborting(signal)]).catch(() => {})
      if (signal.aborted) throw callerLeft()
    }
    const own = work()
    underWay.set(name, own)
    try {
      return await own
    } finally {
      underWay.delete(name)
    }
  }
}

const aborting = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
