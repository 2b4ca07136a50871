import { limits } from '../base/limits.ts'
import type { Observation, Observe } from '../base/observe.ts'
import { noteApiCalls, type CallCount } from '../engine/postgres/note-api-calls.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'

export type CallCounts = { observe: Observe; close: () => Promise<void> }

/** Counts calls by organisation, token, endpoint, status and day, and adds them to the stored counts every second. */
export function countCalls(postgres: Postgres, log: Observe): CallCounts {
  let counts = new Map<string, CallCount>()
  const flush = async () => {
    const written = counts
    if (written.size === 0) return
    counts = new Map()
    try {
      await noteApiCalls(postgres, [...written.values()])
    } catch (error) {
      // With the next flush, when the store is back.
      for (const [key, one] of written) counts.set(key, { ...one, calls: one.calls + (counts.get(key)?.calls ?? 0) })
      log({ kind: 'store-error', store: 'PostgreSQL', error })
    }
  }
  const timer = setInterval(() => void flush(), limits.callCountFlushMs)
  timer.unref()
  return {
    observe: (observation) => count(counts, observation),
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
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
