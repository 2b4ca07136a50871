import { limits } from '../base/limits.ts'
import type { Observation, Observe } from '../base/observe.ts'
import { noteApiCalls, type CallCount } from '../engine/postgres/note-api-calls.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'

export type CallCounts = { observe: Observe; close: () => Promise<void> }

/** Counts calls by organisation, token, endpoint, status and day, and adds them to the stored counts every second. */
export function countCalls(postgres: Postgres, log: Observe): CallCounts {
  let counts = new Map<string, CallCount>()
  const flush = async () => {
    const written = [...counts.values()]
    if (written.length === 0) return
    counts = new Map()
    try {
      await noteApiCalls(postgres, written)
    } catch (error) {
      // With the next flush, when the store is back.
      for (const count of written) add(counts, count)
      log({ kind: 'store-error', store: 'PostgreSQL', error })
    }
  }
  const timer = setInterval(() => void flush(), limits.callCountFlushMs)
  timer.unref()
  return {
    observe: (observation) => {
      const call = callOf(observation)
      if (call !== null) add(counts, call)
    },
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

function callOf(observation: Observation): CallCount | null {
  if (observation.kind !== 'request-finished' || observation.caller === undefined) return null
  const { caller, method, route, status } = observation
  return {
    organisationId: caller.organisationId,
    tokenId: caller.tokenId,
    endpoint: `${method} ${route}`,
    status,
    day: Temporal.Now.plainDateISO('UTC').toString(),
    calls: 1,
  }
}

function add(counts: Map<string, CallCount>, count: CallCount): void {
  const key = JSON.stringify([count.organisationId, count.tokenId, count.endpoint, count.status, count.day])
  const present = counts.get(key)
  counts.set(key, present === undefined ? count : { ...present, calls: present.calls + count.calls })
}
