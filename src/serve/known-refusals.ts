import { hash } from 'node:crypto'
import type { Caller } from '../base/caller.ts'
import type { TurnedAway } from '../base/fair-limits.ts'
import type { Fault } from '../base/fault.ts'
import { forgetOldest } from './forget-oldest.ts'

export type KnownRefusals = {
  /** `refusal` says as long as it holds what whoever sends this header is refused with. */
  readonly note: (authorization: string, caller: Caller, refusal: () => Fault | null) => void
  readonly find: (authorization: string) => TurnedAway | null
}

type Refused = {
  readonly caller: Caller
  readonly refusal: () => Fault | null
  /** So many times since then, of the present second. */
  since: number
  times: number
}

/** Of one caller in a second: a few that were sent before the first was answered are no flood. */
const patienceTimes = 10

function isPressing(one: Refused): boolean {
  const now = performance.now()
  if (now - one.since > 1_000) Object.assign(one, { since: now, times: 0 })
  one.times += 1
  return one.times > patienceTimes
}

/** Who was refused for what they do, not for who they are: as long as that holds they are refused without asking a store. */
export function knownRefusals(): KnownRefusals {
  const refused = new Map<string, Refused>()
  return {
    note: (authorization, caller, refusal) => {
      refused.set(keyOf(authorization), { caller, refusal, since: performance.now(), times: 0 })
      forgetOldest(refused)
    },
    find: (authorization) => {
      // A hash for every request is work too, and hardly ever is anybody there.
      if (refused.size === 0) return null
      const key = keyOf(authorization)
      const found = refused.get(key)
      const refusal = found?.refusal() ?? null
      if (found !== undefined && refusal !== null)
        return { caller: found.caller, refusal, isPressing: isPressing(found) }
      refused.delete(key)
      return null
    },
  }
}

/** Not the token itself; and whatever stands before it, which may be written in many ways. */
const keyOf = (authorization: string): string => hash('sha256', authorization.slice(authorization.lastIndexOf(' ') + 1))
