import type { Caller } from '../base/caller.ts'
import { smallestLimit, type Quotas, type RateLimit } from '../base/quotas.ts'
import { type Fault, rateHeaders, tooManyRequests } from '../base/fault.ts'
import { evictOldest } from '../base/evict-oldest.ts'
import { limits } from '../base/limits.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { takeRequests } from '../engine/postgres/limits/take-requests.ts'

/**
 * The requests of one API token that this instance may still admit without asking PostgreSQL, and PostgreSQL's last response.
 */
type Lease = {
  left: number
  endsAt: number
  remaining: number
  /** PostgreSQL grants no more requests until this time. */
  emptyUntil: number
  /** The bucket that is empty until `emptyUntil`. */
  exhausted: keyof Quotas | null
  waiting: number
  asking: Promise<void> | null
}

const newLease = (): Lease => ({
  left: 0,
  endsAt: 0,
  remaining: 0,
  emptyUntil: 0,
  exhausted: null,
  waiting: 0,
  asking: null,
})

/**
 * Limits requests with one token bucket per API token and one per organisation. All instances share the buckets in PostgreSQL.
 * With each round trip, an instance leases the number of requests that the limit allows in a hundredth of a second, at least
 * one, or one for each waiting request if that is more. So a busy caller costs one round trip per lease (with the default
 * limits: per request, or per group of requests that wait together), and an instance wastes at most one lease.
 */
export function limitRate(postgres: Postgres, quotas: Quotas): RateLimit {
  const limit = smallestLimit(quotas.organisation.requestsPerSecond, quotas.token.requestsPerSecond)
  if (limit === Infinity) return { take: async () => ({}), refusal: () => null }
  const slice = Math.max(1, Math.floor(limit / 100))
  const leases = new Map<number, Lease>()
  const ask = async (caller: Caller, lease: Lease) => {
    const wanted = Math.max(slice, lease.waiting)
    const { granted, remaining, retryMs, exhausted } = await takeRequests(caller, postgres, quotas, wanted)
    const now = performance.now()
    const [endsAt, emptyUntil] = [now + limits.requestLeaseMs, now + retryMs]
    Object.assign(lease, { left: granted, remaining, endsAt, emptyUntil, exhausted })
  }
  const refusal = ({ tokenId }: Caller): Fault | null => {
    const { emptyUntil, exhausted } = leases.get(tokenId) ?? newLease()
    const leftMs = emptyUntil - performance.now()
    return leftMs > 0 && exhausted !== null ? tooMany(exhausted, quotas[exhausted].requestsPerSecond, leftMs) : null
  }
  const take = async (caller: Caller) => {
    const lease = leases.get(caller.tokenId) ?? newLease()
    leases.set(caller.tokenId, lease)
    evictOldest(leases)
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

const tooMany = (of: keyof Quotas, limit: number, retryMs: number): Fault =>
  tooManyRequests({
    what: `requests of this ${of}; at most ${limit} a second`,
    limit,
    retryMs,
    detail: `requests a second of the ${of}`,
  })
