import { findRows, runNamed, type Postgres } from './postgres.ts'

/** An attempt whose object is wanted: being written, or complete. */
export type KeptExport = { readonly id: string; readonly attempt: number; readonly running: boolean }

const statements = {
  find: { name: 'find-kept-exports', text: 'SELECT id, attempt, running FROM find_kept_exports($1)' },
  purge: { name: 'purge-exports', text: 'SELECT purge_exports()' },
}

export const findKeptExports = ({ pool }: Postgres, ids: readonly string[]): Promise<KeptExport[]> =>
  findRows(pool, statements.find, [ids])

export const purgeExports = ({ pool }: Postgres): Promise<void> => runNamed(pool, statements.purge, [])
