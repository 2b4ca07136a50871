import { auditTable } from '../compile/audit-table.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { insertLines } from '../engine/clickhouse/insert-lines.ts'
import { findQueuedLines, forgetQueuedLines, readQueueAgeMs, type QueuedLine } from '../engine/postgres/audit-queue.ts'
import { ifNobodyElse } from '../engine/postgres/one-at-a-time.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { repeat, type Repeated } from './repeat.ts'

export type AuditStores = { postgres: Postgres; clickhouse: ClickHouse }

export type AuditMover = Repeated & {
  /** Whether lines have waited for so long that no more may be taken. */
  readonly isOverdue: () => boolean
}

/** Moves what has gathered in PostgreSQL into the engine. Every copy of the service looks; one of them at a time moves. */
export function moveAuditLines(stores: AuditStores, observe: Observe): AuditMover {
  let overdue = false
  const work = async () => {
    const age = await readQueueAgeMs(stores.postgres)
    overdue = (age ?? 0) > limits.auditWaitMaxMs
    if (age !== null) await emptyAuditQueue(stores)
  }
  const moving = repeat(work, limits.auditMoveMs, (error) => observe({ kind: 'store-error', store: 'audit', error }))
  return { ...moving, isOverdue: () => overdue }
}

/** Null when somebody else is at it. Lines that were stored and not forgotten, because somebody died in between, are stored again and become one. */
export function emptyAuditQueue({ postgres, clickhouse }: AuditStores): Promise<boolean | null> {
  return ifNobodyElse(postgres, 'auditing', async (client) => {
    for (;;) {
      const lines = await findQueuedLines(client)
      if (lines.length === 0) return true
      await insertLines(
        clickhouse,
        auditTable,
        lines.map(({ line }) => line),
      )
      await forgetQueuedLines(client, lines)
      // What has come meanwhile is for the next time: where questions never end, this would not either.
      if (isAll(lines)) return true
    }
  })
}

const isAll = (lines: readonly QueuedLine[]): boolean =>
  lines.length < limits.auditLinesMax &&
  lines.reduce((characters, { line }) => characters + line.length, 0) < limits.auditCharactersMax
