import type { Scope } from './caller.ts'
import { callerLeft } from './fault.ts'
import { keyedTurns, type TurnQueue } from './keyed-turns.ts'
import { takeTurns } from './take-turns.ts'

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
