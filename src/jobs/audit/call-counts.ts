import { randomUUID } from 'node:crypto'
import { limits } from '../../base/limits.ts'
import type { Observation, Observe } from '../../base/observe.ts'
import { noteApiCalls, type CallCount, type NumberedCounts } from '../../engine/postgres/audit/note-api-calls.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { keepFlushing } from '../repeat.ts'

export type CallCounts = { observe: Observe; close: () => Promise<void> }

/** Counts calls by organisation, token, endpoint, status and day, and adds them to the stored counts every second. */
export function countCalls(postgres: Postgres, log: Observe): CallCounts {
  const copy = randomUUID()
  let counts = new Map<string, CallCount>()
  let unanswered: NumberedCounts | null = null
  let number = 0
  const send = async (numbered: NumberedCounts) => {
    unanswered = numbered
    await noteApiCalls(postgres, numbered)
    unanswered = null
  }
  // One after the other: of two that are under way, the later might be added first.
  const flush = async () => {
    // Whether counts without an answer were added nobody knows: they go first, under their own number.
    if (unanswered !== null) await send(unanswered)
    if (counts.size === 0) return
    const written = [...counts.values()]
    counts = new Map()
    await send({ copy, number: (number += 1), counts: written })
  }
  const close = keepFlushing(flush, limits.callCountFlushMs, (error) =>
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
