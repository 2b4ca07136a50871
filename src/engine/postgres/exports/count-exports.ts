import { findRows, type Postgres } from '../postgres.ts'

const statement = { name: 'count-exports', text: 'SELECT status, exports::float8 AS exports FROM count_exports()' }

/** Exports that wait or are being written, of all organisations: numbers, for the operator. */
export async function countExports({ pool }: Postgres): Promise<Record<'queued' | 'running', number>> {
  const rows = await findRows<{ status: string; exports: number }>(pool, statement, [])
  const countOf = (status: string) => rows.find((row) => row.status === status)?.exports ?? 0
  return { queued: countOf('queued'), running: countOf('running') }
}
