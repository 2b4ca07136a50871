import { limits } from '../../base/limits.ts'
import { findRows, runNamed, type Postgres, type Runner } from './postgres.ts'

/** A row of the audit trail on its way into the engine: one line of JSON. */
export type QueuedLine = { readonly id: string; readonly line: string }

const statements = {
  queue: { name: 'queue-audit-lines', text: 'SELECT queue_audit_lines($1)' },
  age: { name: 'audit-queue-age', text: 'SELECT audit_queue_age_ms() AS age' },
  find: { name: 'find-audit-lines', text: 'SELECT id, line FROM find_audit_lines($1, $2)' },
  forget: { name: 'forget-audit-lines', text: 'SELECT forget_audit_lines($1)' },
}

/** On disk when it returns, unless the runner is amid a transaction. */
export const queueAuditLines = (runner: Runner, lines: readonly string[]): Promise<void> =>
  runNamed(runner, statements.queue, [lines])

/** How long the oldest line has waited; null when none does. */
export async function readQueueAgeMs({ pool }: Postgres): Promise<number | null> {
  const [row] = await findRows<{ age: number | null }>(pool, statements.age, [])
  return row?.age ?? null
}

/** The oldest ones; at least one if there is any, however long it is. */
export const findQueuedLines = (runner: Runner): Promise<QueuedLine[]> =>
  findRows(runner, statements.find, [limits.auditLinesMax, limits.auditCharactersMax])

export const forgetQueuedLines = (runner: Runner, lines: readonly QueuedLine[]): Promise<void> =>
  runNamed(runner, statements.forget, [lines.map(({ id }) => id)])
