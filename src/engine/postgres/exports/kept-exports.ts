import { findRows, type Postgres } from '../postgres.ts'

/** An attempt whose object is wanted: being written, or complete. */
export type KeptExport = { readonly id: string; readonly attempt: number; readonly running: boolean }

const statement = { name: 'find-kept-exports', text: 'SELECT id, attempt, running FROM find_kept_exports($1)' }

export const findKeptExports = ({ pool }: Postgres, ids: readonly string[]): Promise<KeptExport[]> =>
  findRows(pool, statement, [ids])
