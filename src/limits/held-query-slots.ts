import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { releaseQuerySlots, renewQuerySlots, type EndedQuery } from '../engine/postgres/limits/running-queries.ts'
import { repeat } from '../jobs/repeat.ts'
import { groupCommit } from '../jobs/audit/group-commit.ts'

export type HeldQuerySlots = {
  /** Random id of this instance. */
  readonly instance: string
  /** Renews the query slot regularly until `release` is called. */
  readonly keep: (id: string) => void
  /** Never rejects. If PostgreSQL does not confirm the release, the next renewal releases the slot again. */
  readonly release: (ended: EndedQuery) => Promise<void>
  readonly close: () => Promise<void>
}

/** Renews the query slots of this instance's queries, and releases them when the queries end. */
export function holdQuerySlots(postgres: Postgres, observe: Observe): HeldQuerySlots {
  const instance = randomUUID()
  const report = (error: unknown) => observe({ kind: 'store-error', store: 'PostgreSQL', error })
  const write = groupCommit(
    (ended: readonly EndedQuery[]) => releaseQuerySlots(postgres, ended),
    limits.groupedWritesMax,
  )
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
      await renewQuerySlots(postgres, instance, [...known])
    },
    limits.queryRenewMs,
    report,
  )
  return {
    instance,
    keep: (id) => void known.add(id),
    release,
    close: async () => {
      await renewing.close()
      // Queries that are cancelled at the end of the drain release their slots after ClickHouse has stopped them. Wait for
      // them: a slot that is not released stays taken until its lease expires.
      const deadline = performance.now() + limits.stopTimeoutMs + 1_000
      while (known.size > 0 && performance.now() < deadline) await pause(50)
      await Promise.all(leaving)
    },
  }
}
