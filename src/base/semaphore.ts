import type { Scope } from './caller.ts'
import { callerLeft } from './fault.ts'

/** How many may wait, and what whoever comes then is told. */
type Waiting = { readonly max: number; readonly refuse: () => Error }

/** Lets `atOnceMax` run at a time; the others wait in the order they came. */
export function takeTurns(
  atOnceMax: number,
  allowed?: Waiting,
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
      // The place is handed on, not given up: nobody can slip in between.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

export type TurnQueue = NonNullable<Parameters<typeof takeTurns>[1]>

/** Turns of each key by themselves, `atOnceMax` of a key at a time. A key nobody waits for is forgotten. */
export function keyedTurns(
  atOnceMax: number,
  queue?: TurnQueue,
): <Result>(key: number | string, work: () => Promise<Result>) => Promise<Result> {
  const keys = new Map<number | string, { present: number; readonly turns: ReturnType<typeof takeTurns> }>()
  return async (key, work) => {
    const own = keys.get(key) ?? { present: 0, turns: takeTurns(atOnceMax, queue) }
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
  /** Of all organisations together. */
  readonly max: number
  /** Less than `max`, or one organisation would keep the others waiting. */
  readonly ownMax: number
  /** How many of one organisation may wait; unbounded unless given. */
  readonly queue?: TurnQueue
}

/** Runs `work` in a slot, unless the caller has left by then. */
export type RunInSlot = <Result>(scope: Scope, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>

/** A semaphore for all organisations, of whose slots one organisation can hold `ownMax`. */
export function organisationSlots({ max, ownMax, queue }: SlotLimits): RunInSlot {
  const inOwnTurn = keyedTurns(ownMax, queue)
  const inTurn = takeTurns(max)
  return ({ organisationId }, signal, work) =>
    inOwnTurn(organisationId, () =>
      inTurn(async () => {
        if (signal.aborted) throw callerLeft()
        return work()
      }),
    )
}

/**
 * Lets work under one name be done one after the other, in the order it is asked for; how the one before ends does not
 * matter. Whoever is told meanwhile, by the signal, that nobody waits for them any more gives up.
 */
export function afterTheSame(): <Result>(
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
