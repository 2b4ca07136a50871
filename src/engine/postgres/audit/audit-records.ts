import { runNamed, type Postgres, type Runner } from '../postgres.ts'

/** The columns of an audit record, or of its outcome. Both contain the key of the record. */
export type AuditRecord = AuditKey & Readonly<Record<string, unknown>>

/** Identifies a query in the audit trail. */
export type AuditKey = { readonly asked_at: string; readonly id: string }

const statements = {
  add: { name: 'add-audit-records', text: 'SELECT add_audit_records($1)' },
  drop: { name: 'drop-audit-months', text: 'SELECT drop_audit_months($1::interval)' },
}

/** Adds records. They are on disk when the promise resolves, unless `runner` is in a transaction. */
export const addAuditRecords = (runner: Runner, records: readonly AuditRecord[]): Promise<void> =>
  runNamed(runner, statements.add, [JSON.stringify(records)])

export const dropAuditMonths = ({ pool }: Postgres, days: number): Promise<void> =>
  runNamed(pool, statements.drop, [`${days} days`])
