import type { Scope } from './caller.ts'
import { callerLeft } from './fault.ts'
import { takeTurns } from './take-turns.ts'

type Queue = NonNullable<Parameters<typeof takeTurns>[1]>

export type SlotLimits = {
  /** Of all organisations together. */
  readonly max: number
  /** Less than `max`, or one organisation would keep the others waiting. */
  readonly ownMax: number
  /** How many of one organisation may wait; unbounded unless given. */
  readonly queue?: Queue
}

/** Runs `work` in a slot, unless the caller has left by then. */
export type RunInSlot = <Result>(scope: Scope, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>

/** A semaphore for all organisations, of whose slots one organisation can hold `ownMax`. */
export function organisationSlots({ max, ownMax, queue }: SlotLimits): RunInSlot {
  const everybody = takeTurns(max)
  const organisations = new Map<number, { present: number; readonly turns: ReturnType<typeof takeTurns> }>()
  return async ({ organisationId }, signal, work) => {
    const own = organisations.get(organisationId) ?? { present: 0, turns: takeTurns(ownMax, queue) }
    organisations.set(organisationId, own)
    own.present += 1
    const unlessLeft = async () => {
      if (signal.aborted) throw callerLeft()
      return work()
    }
    try {
      return await own.turns(() => everybody(unlessLeft))
    } finally {
      own.present -= 1
      if (own.present === 0) organisations.delete(organisationId)
    }
  }
}
