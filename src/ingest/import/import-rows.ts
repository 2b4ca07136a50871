import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { BatchTotals } from '../../engine/postgres/ingest/ingest-batches.ts'
import { beginImport, recordImport, type ImportFile } from '../../engine/postgres/operator/import-files.ts'
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

/** The outcome of all runs that imported a file. `skipped` is true if an earlier run had already imported all of it. */
export type ImportedFile = BatchOutcome & { readonly file: string; readonly skipped: boolean }

type FileOfRows = {
  readonly test: TestDefinition
  readonly file: ImportFile
  /** Name of the file in the output of commands. */
  readonly shown: string
  readonly kind: RowFormat['kind']
  /**
   * Yields the same bytes every time. Called only if rows remain to be imported. `onRead` receives the number of bytes read
   * from the file.
   */
  readonly open: (onRead: (bytes: number) => void) => AsyncGenerator<Uint8Array>
}

/** Imports the rows of a file. If an earlier import of the file was interrupted, continues where that import stopped. */
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
  const reportProgress = () =>
    onProgress({ rows: total.accepted + total.duplicates + total.rejected, bytes: bytesRead, bytesTotal: file.bytes })
  const bytes = open((read) => {
    bytesRead = read
    reportProgress()
  })
  let { bytesDone } = before
  const terms: BatchTerms = { anew: before.anew, ...(file.panel === null ? {} : { panel: file.panel }) }
  try {
    await storeStream(scope, write, { test, kind, bytes, source: shown, bytesDone, terms }, async (outcome, done) => {
      total = addOutcome(total, outcome)
      bytesDone = done
      await recordImport(operator, scope, file, { ...totalsOf(total), bytesDone, finished: false })
      reportProgress()
    })
  } finally {
    // Close the file. Otherwise an error in the first line would leave it open.
    await bytes.return(undefined)
  }
  await recordImport(operator, scope, file, { ...totalsOf(total), bytesDone, finished: true })
  return { ...total, file: shown, skipped: false }
}

const totalsOf = ({ accepted, duplicates, rejected }: BatchTotals): BatchTotals => ({ accepted, duplicates, rejected })
