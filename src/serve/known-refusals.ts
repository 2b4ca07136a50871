import { hash } from 'node:crypto'
import type { Caller } from '../base/caller.ts'
import type { TurnedAway } from '../base/fair-limits.ts'
import type { Fault } from '../base/fault.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import { isPressing, newPressing, type Pressing } from '../http/pressing.ts'

export type KnownRefusals = {
  /** `refusal` says as long as it holds what whoever sends this header is refused with. */
  readonly note: (authorization: string, caller: Caller, refusal: () => Fault | null) => void
  readonly find: (authorization: string) => TurnedAway | null
}

type Refused = { readonly caller: Caller; readonly refusal: () => Fault | null; readonly pressing: Pressing }

/** Who was refused for what they do, not for who they are: as long as that holds they are refused without asking a store. */
export function knownRefusals(): KnownRefusals {
  const refused = new Map<string, Refused>()
  return {
    note: (authorization, caller, refusal) => {
      refused.set(keyOf(authorization), { caller, refusal, pressing: newPressing() })
      forgetOldest(refused)
    },
    find: (authorization) => {
      // A hash for every request is work too, and hardly ever is anybody there.
      if (refused.size === 0) return null
      const key = keyOf(authorization)
      const found = refused.get(key)
      const refusal = found?.refusal() ?? null
      if (found !== undefined && refusal !== null)
        return { caller: found.caller, refusal, isPressing: isPressing(found.pressing) }
      refused.delete(key)
      return null
    },
  }
}

/** Not the token itself; and whatever stands before it, which may be written in many ways. */
const keyOf = (authorization: string): string => hash('sha256', authorization.slice(authorization.lastIndexOf(' ') + 1))
