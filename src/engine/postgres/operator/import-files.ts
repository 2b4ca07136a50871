import type { Scope } from '../../../base/caller.ts'
import type { BatchTotals } from '../ingest-batches.ts'
import { operate, type Operator } from './operator.ts'

/** A file that is imported; of another size or time it is another one. */
export type ImportFile = {
  readonly test: string
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: Date
}

/** How far its import has come. */
export type ImportState = BatchTotals & { readonly bytesDone: number; readonly finished: boolean }

/** `anew`: there was one of another size or time in its place, and some of its rows may be stored. */
type BegunImport = ImportState & { readonly anew: boolean }

type Row = {
  bytes_done: string
  finished: boolean
  anew: boolean
  accepted: string
  duplicates: string
  rejected: string
}

/** Begins an import, or finds how far an earlier one of the same file came. */
export async function beginImport(operator: Operator, scope: Scope, file: ImportFile): Promise<BegunImport> {
  const rows = await operate<Row>(operator, beginning, [
    scope.organisationId,
    file.test,
    file.path,
    file.bytes,
    file.modifiedAt,
  ])
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

export async function noteImported(
  operator: Operator,
  scope: Scope,
  file: ImportFile,
  { bytesDone, finished, accepted, duplicates, rejected }: ImportState,
): Promise<void> {
  const values = [scope.organisationId, file.test, file.path, bytesDone, finished, accepted, duplicates, rejected]
  await operate(operator, noting, values)
}

const same = 'import_files.bytes = excluded.bytes AND import_files.modified_at = excluded.modified_at'
const kept = (column: string, otherwise: string) =>
  `${column} = CASE WHEN ${same} THEN import_files.${column} ELSE ${otherwise} END`

const beginning = `
  INSERT INTO import_files (organisation_id, test, path, bytes, modified_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (organisation_id, test, path) DO UPDATE SET
    ${['bytes_done', 'accepted', 'duplicates', 'rejected'].map((column) => kept(column, '0')).join(', ')},
    ${kept('started_at', 'now()')}, ${kept('finished_at', 'NULL')}, ${kept('anew', 'true')},
    bytes = excluded.bytes, modified_at = excluded.modified_at
  RETURNING bytes_done, finished_at IS NOT NULL AS finished, accepted, duplicates, rejected, anew`

const noting = `
  UPDATE import_files SET bytes_done = $4, finished_at = CASE WHEN $5 THEN now() END,
    accepted = $6, duplicates = $7, rejected = $8
  WHERE organisation_id = $1 AND test = $2 AND path = $3`
