import type { Scope } from '../../../base/caller.ts'
import { limits } from '../../../base/limits.ts'
import type { BatchTotals } from '../ingest/ingest-batches.ts'
import { operate, type Operator } from './operator.ts'

/** A file to import. If the size, modification time or panel differs, it counts as another file. */
export type ImportFile = {
  readonly test: string
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: Date
  /** If set, only rows of agents on this panel are stored. Null means all panels of the organisation. */
  readonly panel: number | null
}

/** Progress of an import. */
export type ImportState = BatchTotals & { readonly bytesDone: number; readonly finished: boolean }

/**
 * `anew` is true if rows of the file may already be stored without a record of their batches: an earlier import read another
 * file at this path, or the file was imported long ago.
 */
type BegunImport = ImportState & { readonly anew: boolean }

type Row = {
  bytes_done: string
  finished: boolean
  anew: boolean
  accepted: string
  duplicates: string
  rejected: string
}

/** Begins an import. If the same file was imported before, returns the progress of that import. */
export async function beginImport(operator: Operator, scope: Scope, file: ImportFile): Promise<BegunImport> {
  const rows = await operate<Row>(operator, beginning, [...identityOf(scope, file), `${limits.batchDays} days`])
  const [row] = rows
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row')
  return {
    bytesDone: Number(row.bytes_done),
    finished: row.finished,
    anew: row.anew,
    accepted: Number(row.accepted),
    duplicates: Number(row.duplicates),
    rejected: Number(row.rejected),
  }
}

/** Records the progress of an import. Has no effect if there is another file at the path by now. */
export async function recordImport(
  operator: Operator,
  scope: Scope,
  file: ImportFile,
  { bytesDone, finished, accepted, duplicates, rejected }: ImportState,
): Promise<void> {
  const progress = [bytesDone, finished, accepted, duplicates, rejected]
  await operate(operator, noting, [...identityOf(scope, file), ...progress])
}

const identityOf = ({ organisationId }: Scope, { test, path, bytes, modifiedAt, panel }: ImportFile) => [
  organisationId,
  test,
  path,
  bytes,
  modifiedAt,
  panel,
]

const same = 'import_files.bytes = excluded.bytes AND import_files.modified_at = excluded.modified_at'
const kept = (column: string, otherwise: string) =>
  `${column} = CASE WHEN ${same} THEN import_files.${column} ELSE ${otherwise} END`

const beginning = `
  INSERT INTO import_files (organisation_id, test, path, bytes, modified_at, panel_id, anew) VALUES ($1, $2, $3, $4, $5, $6,
    -- The file was imported for another panel.
    EXISTS (SELECT FROM import_files WHERE organisation_id = $1 AND test = $2 AND path = $3))
  ON CONFLICT (organisation_id, test, path, panel_id) DO UPDATE SET
    ${['bytes_done', 'accepted', 'duplicates', 'rejected'].map((column) => kept(column, '0')).join(', ')},
    ${kept('started_at', 'now()')}, ${kept('finished_at', 'NULL')},
    -- Batches that were stored and not noted before it was interrupted may have been forgotten since.
    anew = import_files.anew OR NOT (${same}) OR import_files.started_at < now() - $7::interval + interval '1 day',
    bytes = excluded.bytes, modified_at = excluded.modified_at
  RETURNING bytes_done, finished_at IS NOT NULL AS finished, accepted, duplicates, rejected, anew`

const noting = `
  UPDATE import_files SET bytes_done = $7, finished_at = CASE WHEN $8 THEN now() END,
    accepted = $9, duplicates = $10, rejected = $11
  WHERE organisation_id = $1 AND test = $2 AND path = $3
    AND bytes = $4 AND modified_at = $5 AND panel_id IS NOT DISTINCT FROM $6`
