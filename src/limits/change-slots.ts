import type { InChangeSlot } from '../base/quotas.ts'
import { type Fault, tooManyRequests } from '../base/fault.ts'
import { organisationSlots } from '../base/semaphore.ts'

/**
 * Maximum number of waiting changes of one organisation. A waiting change keeps its caller's connection open, but uses no
 * PostgreSQL connection.
 */
const waitingMax = 100

/**
 * PostgreSQL connections reserved for the instance's jobs: dictionaries, values, audit trail, rollups and call counts use one
 * each.
 */
const jobConnections = 5

/**
 * Limits the PostgreSQL connections that changes use, so that some remain for authentication and queries. Changes of the same
 * agents wait for each other's row locks, and each holds a connection. A large change takes minutes. All changes together may
 * use half of the connections that the jobs leave. The changes of one organisation may use at most a fifth of all connections.
 */
export function changeSlots(connectionsMax: number): InChangeSlot {
  const allMax = Math.max(2, Math.floor((connectionsMax - jobConnections) / 2))
  // At least one slot less than `allMax`, so that one organisation cannot block all others.
  const ownMax = Math.max(1, Math.min(Math.floor(connectionsMax / 5), allMax - 1))
  return organisationSlots({
    max: allMax,
    ownMax,
    queue: { max: waitingMax, refuse: () => tooMany(ownMax) },
  })
}

const tooMany = (ownMax: number): Fault =>
  tooManyRequests({
    what: `changes; at most ${ownMax} at once are made and ${waitingMax} wait`,
    limit: ownMax,
    retryMs: 5_000,
    detail: 'changes of metadata',
  })
