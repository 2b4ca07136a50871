import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'
import { beginImport, noteImported, type ImportFile } from '../../engine/postgres/operator/import-files.ts'
import type { Operator } from '../../engine/postgres/operator/operator.ts'
import {
  addOutcome,
  type BatchOutcome,
  type BatchTerms,
  noOutcome,
  type RowFormat,
  type WriteBatch,
} from '../batch/batch.ts'
import { storeStream } from '../batch/store-stream.ts'

export type ImportProgress = { readonly rows: number; readonly bytes: number; readonly bytesTotal: number }
export type OnProgress = (progress: ImportProgress) => void

/** What became of a file's rows, by this run and those before; `skipped` when one of those had finished it. */
export type ImportedFile = BatchOutcome & { readonly file: string; readonly skipped: boolean }

type FileOfRows = {
  readonly test: TestDefinition
  readonly file: ImportFile
  /** Its name for people. */
  readonly shown: string
  readonly kind: RowFormat['kind']
  /** Its rows, the same bytes every time; asked for only when they are needed. Told how many of the file's bytes are read. */
  readonly open: (onRead: (bytes: number) => void) => AsyncGenerator<Uint8Array>
}

/** Stores a file's rows, from where an interrupted import of it stopped. */
export async function importRows(
  scope: Scope,
  { operator, write }: { operator: Operator; write: WriteBatch },
  { test, file, shown, kind, open }: FileOfRows,
  onProgress: OnProgress,
): Promise<ImportedFile> {
  const before = await beginImport(operator, scope, file)
  let total = { ...noOutcome, ...totalsOf(before) }
  if (before.finished) return { ...total, file: shown, skipped: true }
  let bytesRead = 0
  const tell = () =>
    onProgress({ rows: total.accepted + total.duplicates + total.rejected, bytes: bytesRead, bytesTotal: file.bytes })
  const bytes = open((read) => {
    bytesRead = read
    tell()
  })
  let { bytesDone } = before
  const terms: BatchTerms = { anew: before.anew, ...(file.panel === null ? {} : { panel: file.panel }) }
  try {
    await storeStream(scope, write, { test, kind, bytes, source: shown, bytesDone, terms }, async (outcome, done) => {
      total = addOutcome(total, outcome)
      bytesDone = done
      await noteImported(operator, scope, file, { ...totalsOf(total), bytesDone, finished: false })
      tell()
    })
  } finally {
    // Whoever gives up amid the first line leaves the file open.
    await bytes.return(undefined)
  }
  await noteImported(operator, scope, file, { ...totalsOf(total), bytesDone, finished: true })
  return { ...total, file: shown, skipped: false }
}

const totalsOf = ({ accepted, duplicates, rejected }: BatchTotals): BatchTotals => ({ accepted, duplicates, rejected })
