import type { Caller } from '../base/caller.ts'
import { smallestLimit, type FairLimits, type RateLimit } from '../base/fair-limits.ts'
import { type Fault, rateHeaders, tooManyRequests } from '../base/fault.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import { limits } from '../base/limits.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { takeRequests } from '../engine/postgres/limits/take-requests.ts'

/** Requests of one token that this instance may still let through without asking, and what it was told last. */
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
 * A token bucket for each token and organisation, which all instances share in PostgreSQL. An instance takes a hundredth of a
 * second's requests at a time: a busy caller costs a round trip for every hundredth, and what an instance keeps unused is
 * within that hundredth.
 */
export function limitRate(postgres: Postgres, shares: FairLimits): RateLimit {
  const limit = smallestLimit(shares.organisation.requestsPerSecond, shares.token.requestsPerSecond)
  if (limit === Infinity) return { take: async () => ({}), refusal: () => null }
  const slice = Math.max(1, Math.floor(limit / 100))
  const leases = new Map<number, Lease>()
  const ask = async (caller: Caller, lease: Lease) => {
    const { granted, remaining, retryMs } = await takeRequests(caller, postgres, shares, Math.max(slice, lease.waiting))
    const now = performance.now()
    Object.assign(lease, { left: granted, remaining, endsAt: now + limits.requestLeaseMs, emptyUntil: now + retryMs })
  }
  const refusal = ({ tokenId }: Caller): Fault | null => {
    const leftMs = (leases.get(tokenId)?.emptyUntil ?? 0) - performance.now()
    return leftMs > 0 ? tooMany(limit, leftMs) : null
  }
  const take = async (caller: Caller) => {
    const lease = leases.get(caller.tokenId) ?? newLease()
    leases.set(caller.tokenId, lease)
    forgetOldest(leases)
    for (;;) {
      const now = performance.now()
      if (lease.left > 0 && lease.endsAt > now) {
        lease.left -= 1
        return rateHeaders({ limit, remaining: lease.remaining + lease.left, resetSeconds: 1 })
      }
      const refused = refusal(caller)
      if (refused !== null) throw refused
      lease.waiting += 1
      lease.asking ??= ask(caller, lease).finally(() => (lease.asking = null))
      await lease.asking.finally(() => (lease.waiting -= 1))
    }
  }
  return { take, refusal }
}

const tooMany = (limit: number, retryMs: number): Fault =>
  tooManyRequests({ what: `requests; at most ${limit} a second`, limit, retryMs, detail: 'requests a second' })
