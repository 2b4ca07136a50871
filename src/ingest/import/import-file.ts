import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { ImportFile } from '../../engine/postgres/operator/import-files.ts'
import type { Operator } from '../../engine/postgres/operator/operator.ts'
import type { WriteBatch } from '../batch/batch.ts'
import { fileKind } from './file-kind.ts'
import { importRows, type ImportedFile, type OnProgress } from './import-rows.ts'
import { readFile } from './read-file.ts'

export type ImportStores = {
  readonly operator: Operator
  readonly clickhouse: ClickHouse
  readonly write: WriteBatch
}

/** Imports a file. If an earlier import of the file was interrupted, continues where that import stopped. */
export async function importFile(
  scope: Scope,
  stores: ImportStores,
  test: TestDefinition,
  path: string,
  onProgress: OnProgress,
): Promise<ImportedFile> {
  const kind = fileKind(path)
  const file = await describe(test, path)
  const format = kind.format === 'ndjson' ? kind.format : 'csv'
  const open = (onRead: (bytes: number) => void) => readFile(stores.clickhouse, path, kind, test, onRead)
  return importRows(scope, stores, { test, file, shown: path, kind: format, open }, onProgress)
}

async function describe(test: TestDefinition, path: string): Promise<ImportFile> {
  const { size, mtime } = await stat(path)
  return { test: test.key, path: resolve(path), bytes: size, modifiedAt: mtime, panel: null }
}
