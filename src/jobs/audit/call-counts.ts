import { randomUUID } from 'node:crypto'
import { limits } from '../../base/limits.ts'
import type { Observation, Observe } from '../../base/observe.ts'
import { recordApiCalls, type CallCount, type NumberedCounts } from '../../engine/postgres/audit/record-api-calls.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { flushRegularly } from '../repeat.ts'

export type CallCounts = { observe: Observe; close: () => Promise<void> }

/**
 * Counts calls by organisation, token, endpoint, status and day. Every second, the counts are added to the table in PostgreSQL.
 */
export function countCalls(postgres: Postgres, log: Observe): CallCounts {
  const instanceId = randomUUID()
  let counts = new Map<string, CallCount>()
  let unanswered: NumberedCounts | null = null
  let number = 0
  const send = async (numbered: NumberedCounts) => {
    unanswered = numbered
    await recordApiCalls(postgres, numbered)
    unanswered = null
  }
  // Flushes never overlap, so PostgreSQL adds the counts in the order of their numbers.
  const flush = async () => {
    // If PostgreSQL did not confirm the last counts, it may still have added them. Resend them first, with the same number:
    // PostgreSQL adds the counts of each number only once.
    if (unanswered !== null) await send(unanswered)
    if (counts.size === 0) return
    const written = [...counts.values()]
    counts = new Map()
    await send({ instance: instanceId, number: (number += 1), counts: written })
  }
  const close = flushRegularly(flush, limits.callCountFlushMs, (error) =>
    log({ kind: 'store-error', store: 'PostgreSQL', error }),
  )
  return { observe: (observation) => count(counts, observation), close }
}

const dayMs = 86_400_000

function count(counts: Map<string, CallCount>, observation: Observation): void {
  if (observation.kind !== 'request-finished' || observation.caller === undefined) return
  const { caller, method, route, status } = observation
  const { organisationId, tokenId } = caller
  const now = Date.now()
  const key = `${tokenId} ${status} ${Math.floor(now / dayMs)} ${method} ${route}`
  const present = counts.get(key)
  if (present !== undefined) {
    present.calls += 1
    return
  }
  const day = Temporal.Instant.fromEpochMilliseconds(now).toString().slice(0, 10)
  counts.set(key, { organisationId, tokenId, endpoint: `${method} ${route}`, status, day, calls: 1 })
}
