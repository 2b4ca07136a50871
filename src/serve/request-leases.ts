import type { Caller } from '../base/caller.ts'
import { rateHeaders, type FairLimits, type RequestShares } from '../base/fair-limits.ts'
import { Fault } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { takeRequests } from '../engine/postgres/take-requests.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import { knownRefusals } from './known-refusals.ts'

/** Requests of one token that this copy may still let through without asking, and what it was told last. */
type Lease = {
  left: number
  endsAt: number
  remaining: number
  /** Until then there is nothing to be had. */
  emptyUntil: number
  waiting: number
  asking: Promise<void> | null
}

const newLease = (): Lease => ({ left: 0, endsAt: 0, remaining: 0, emptyUntil: 0, waiting: 0, asking: null })

/**
 * Counts requests against shares that all copies hold together. A copy takes a hundredth of a second's share at a time: so
 * a busy caller costs a round trip for every hundredth, and what a copy keeps unused is within that hundredth.
 */
export function leaseRequests(postgres: Postgres, shares: FairLimits): RequestShares {
  const limit = smallest(shares.organisation.requestsPerSecond, shares.token.requestsPerSecond)
  if (limit === 0) return { take: async () => ({}), findEmptied: () => null }
  const slice = Math.max(1, Math.floor(limit / 100))
  const leases = new Map<number, Lease>()
  const emptied = knownRefusals()
  const refusalOf = ({ emptyUntil }: Lease) => {
    const waitMs = emptyUntil - performance.now()
    return waitMs > 0 ? tooMany(limit, waitMs) : null
  }
  const ask = async (caller: Caller, lease: Lease) => {
    const { granted, remaining, retryMs } = await takeRequests(caller, postgres, shares, Math.max(slice, lease.waiting))
    const now = performance.now()
    Object.assign(lease, { left: granted, remaining, endsAt: now + limits.requestLeaseMs, emptyUntil: now + retryMs })
  }
  const take = async (caller: Caller, authorization: string) => {
    const lease = leases.get(caller.tokenId) ?? newLease()
    leases.set(caller.tokenId, lease)
    forgetOldest(leases)
    for (;;) {
      const now = performance.now()
      if (lease.left > 0 && lease.endsAt > now) {
        lease.left -= 1
        return rateHeaders({ limit, remaining: lease.remaining + lease.left, resetSeconds: 1 })
      }
      const refusal = refusalOf(lease)
      if (refusal !== null) {
        emptied.note(authorization, caller, () => refusalOf(lease))
        throw refusal
      }
      lease.waiting += 1
      lease.asking ??= ask(caller, lease).finally(() => (lease.asking = null))
      await lease.asking.finally(() => (lease.waiting -= 1))
    }
  }
  return { take, findEmptied: emptied.find }
}

/** 0 is no limit. */
const smallest = (one: number, other: number): number =>
  one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other)

function tooMany(limit: number, waitMs: number): Fault {
  const resetSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Fault('TOO_MANY_REQUESTS', {
    message: `Too many requests; at most ${limit} a second. Try again after the time in Retry-After.`,
    headers: { 'retry-after': String(resetSeconds), ...rateHeaders({ limit, remaining: 0, resetSeconds }) },
    detail: 'requests a second',
  })
}
