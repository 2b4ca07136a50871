import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { leavePlaces, renewPlaces, type EndedQuery } from '../engine/postgres/limits/running-queries.ts'
import { repeat } from '../jobs/repeat.ts'
import { gatherWrites } from '../jobs/audit/gather-writes.ts'

export type HeldQuerySlots = {
  /** Names this instance among the others. */
  readonly copy: string
  /** From now on it is renewed, until it is left. */
  readonly keep: (id: string) => void
  /** Never fails: what cannot be given back now is later. */
  readonly release: (ended: EndedQuery) => Promise<void>
  readonly close: () => Promise<void>
}

/** Renews the slots of this instance's queries while it lives, and gives them back. */
export function holdQuerySlots(postgres: Postgres, observe: Observe): HeldQuerySlots {
  const copy = randomUUID()
  const report = (error: unknown) => observe({ kind: 'store-error', store: 'PostgreSQL', error })
  const write = gatherWrites((ended: readonly EndedQuery[]) => leavePlaces(postgres, ended), limits.groupedWritesMax)
  const known = new Set<string>()
  const leaving = new Set<Promise<void>>()
  let kept: EndedQuery[] = []
  const release = (ended: EndedQuery) => {
    known.delete(ended.id)
    const left: Promise<void> = write(ended)
      .catch((error: unknown) => {
        kept.push(ended)
        report(error)
      })
      .finally(() => leaving.delete(left))
    leaving.add(left)
    return left
  }
  const renewing = repeat(
    async () => {
      const again = kept
      kept = []
      await Promise.all(again.map(release))
      await renewPlaces(postgres, copy, [...known])
    },
    limits.queryRenewMs,
    report,
  )
  return {
    copy,
    keep: (id) => void known.add(id),
    release,
    close: async () => {
      await renewing.close()
      // What was cut at the end of the drain is over when the engine has stopped; unpaid, it would hold its slot for a lease.
      const deadline = performance.now() + limits.stopTimeoutMs + 1_000
      while (known.size > 0 && performance.now() < deadline) await pause(50)
      await Promise.all(leaving)
    },
  }
}
