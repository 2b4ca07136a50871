import type { InChangeTurn } from '../base/fair-limits.ts'
import { type Fault, tooManyRequests } from '../base/fault.ts'
import { organisationSlots } from '../base/semaphore.ts'

/** Of one organisation. Each holds a connection of its caller, and none to PostgreSQL. */
const waitingMax = 100

/** Of a copy's connections: dictionaries, values, audit trail, sums and counts each hold one while at work. */
const ownWork = 5

/**
 * Changes of the same agents wait for one another inside PostgreSQL, each with a connection in hand, and a large one takes
 * minutes. So half of a copy's connections, less those it needs for itself, are for changes, and a fifth for those of one
 * organisation: the others can still be let in, and asked for.
 */
export function changeSlots(connectionsMax: number): InChangeTurn {
  const everybodyMax = Math.max(2, Math.floor((connectionsMax - ownWork) / 2))
  // One less than all, or one organisation's would hold up another's.
  const ownMax = Math.max(1, Math.min(Math.floor(connectionsMax / 5), everybodyMax - 1))
  return organisationSlots({
    max: everybodyMax,
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
