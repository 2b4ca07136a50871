import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { beginImport, noteImported, type ImportFile } from '../../engine/postgres/operator/import-files.ts'
import type { BatchTotals } from '../../engine/postgres/ingest-batches.ts'
import type { Operator } from '../../engine/postgres/operator/operator.ts'
import type { BatchOutcome, WriteBatch } from '../batch.ts'
import { storeStream } from '../store-stream.ts'
import { addOutcome, noOutcome } from '../totals.ts'
import { fileKind } from './file-kind.ts'
import { readFile } from './read-file.ts'

export type ImportStores = {
  readonly operator: Operator
  readonly clickhouse: ClickHouse
  readonly write: WriteBatch
}

export type ImportProgress = { readonly rows: number; readonly bytes: number; readonly bytesTotal: number }

/** What became of a file's rows, by this run and those before; `skipped` when one of those had finished it. */
export type ImportedFile = BatchOutcome & { readonly file: string; readonly skipped: boolean }

/** Imports one file, from where an interrupted import of it stopped. */
export async function importFile(
  scope: Scope,
  { operator, clickhouse, write }: ImportStores,
  test: TestDefinition,
  path: string,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportedFile> {
  const kind = fileKind(path)
  const file = await describe(test, path)
  const before = await beginImport(operator, scope, file)
  let total = { ...noOutcome, ...totalsOf(before) }
  if (before.finished) return { ...total, file: path, skipped: true }
  let bytesRead = 0
  const tell = () =>
    onProgress({ rows: total.accepted + total.duplicates + total.rejected, bytes: bytesRead, bytesTotal: file.bytes })
  const bytes = readFile(clickhouse, path, kind, test, (read) => {
    bytesRead = read
    tell()
  })
  let { bytesDone } = before
  const stream = { test, kind: kind.format === 'ndjson' ? kind.format : 'csv', bytes, source: path, bytesDone } as const
  await storeStream(scope, write, stream, async (outcome, done) => {
    total = addOutcome(total, outcome)
    bytesDone = done
    await noteImported(operator, scope, file, { ...totalsOf(total), bytesDone, finished: false })
    tell()
  })
  await noteImported(operator, scope, file, { ...totalsOf(total), bytesDone, finished: true })
  return { ...total, file: path, skipped: false }
}

async function describe(test: TestDefinition, path: string): Promise<ImportFile> {
  const { size, mtime } = await stat(path)
  return { test: test.key, path: resolve(path), bytes: size, modifiedAt: mtime }
}

const totalsOf = ({ accepted, duplicates, rejected }: BatchTotals): BatchTotals => ({ accepted, duplicates, rejected })
