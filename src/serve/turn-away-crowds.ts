import type { Caller } from '../base/caller.ts'
import type { QueryQueues } from '../base/fair-limits.ts'
import type { Fault } from '../base/fault.ts'
import { knownRefusals } from './known-refusals.ts'
import type { TokenQueues } from './token-queues.ts'

/** Refuses the queries of a token that would find its queue full, as early as can be. */
export function turnAwayCrowds({ isFull }: TokenQueues, tooMany: () => Fault): Omit<QueryQueues, 'overload'> {
  const crowds = knownRefusals()
  const refusalOf = ({ tokenId }: Caller) => (isFull(tokenId) ? tooMany() : null)
  return {
    refuseCrowded: (caller, authorization) => {
      const refusal = refusalOf(caller)
      if (refusal === null) return
      crowds.note(authorization, caller, () => refusalOf(caller))
      throw refusal
    },
    findCrowded: crowds.find,
  }
}
