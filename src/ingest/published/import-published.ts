import { randomUUID } from 'node:crypto'
import type { Scope } from '../../base/caller.ts'
import { findUnits, keptLines, publishedHeader, stagePublished } from '../../compile/ingest/published-rows.ts'
import { findRows } from '../../engine/clickhouse/ingest/find-rows.ts'
import { firstNode } from '../../engine/clickhouse/next-node.ts'
import { selectBytes, stageLines } from '../../engine/clickhouse/ingest/stage-lines.ts'
import { readPanel } from '../../engine/postgres/operator/panels.ts'
import type { ImportStores } from '../import/import-file.ts'
import { importRows, type ImportedFile, type OnProgress } from '../import/import-rows.ts'
import { takeLine, withoutMark } from '../batch/lines.ts'
import { fileColumns } from './file-columns.ts'
import type { FileLayout } from './file-layouts.ts'
import type { PublishedFile } from './published-files.ts'
import { registerUnits } from './register-units.ts'

export type ImportedPublishedFile = ImportedFile & {
  /** Number of units that this import registered. */
  readonly newUnits: number
  /**
   * Number of rows that are not imported because they describe only a part of a test, and another row describes the whole test.
   */
  readonly partial: number
}

/**
 * Imports one file of a published data set. ClickHouse stages its rows first, for two reasons. Only all rows together show
 * which row describes a whole test. And the units must be registered before the first row is stored.
 */
export async function importPublished(
  scope: Scope,
  stores: ImportStores,
  panel: string,
  file: PublishedFile,
  layout: FileLayout,
  onProgress: OnProgress,
): Promise<ImportedPublishedFile> {
  const { test } = layout
  const seen = { rows: 0, newUnits: 0 }
  const open = async function* (onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const node = firstNode(stores.clickhouse)
    const rows = { test, database: stores.clickhouse.database, run: `published-${randomUUID()}` }
    const { line, rest } = await takeLine(withoutMark(counted(file.read(), onRead)))
    const { names, isNamed } = fileColumns(line.text, layout)
    const { insert, settings } = stagePublished(rows, names, layout.ipVersion)
    seen.rows = await stageLines(node, insert, isNamed ? rest : following(line.bytes, rest), settings)
    const units = await findRows<{ unit: string }>(node, findUnits(rows))
    seen.newUnits = await registerUnits(
      stores.operator,
      panel,
      units.map(({ unit }) => unit),
    )
    yield Buffer.from(`${publishedHeader(test)}\n`)
    yield* selectBytes(node, keptLines(rows))
  }
  const { path, bytes, modifiedAt } = file
  const { id } = await readPanel(stores.operator, panel)
  const described = { test: test.key, path, bytes, modifiedAt, panel: id }
  const source = { test, file: described, shown: path, kind: 'csv', open } as const
  const imported = await importRows(scope, stores, source, onProgress)
  const kept = imported.accepted + imported.duplicates + imported.rejected
  return { ...imported, newUnits: seen.newUnits, partial: imported.skipped ? 0 : seen.rows - kept }
}

async function* following(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

async function* counted(bytes: AsyncIterable<Uint8Array>, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const piece of bytes) {
    yield piece
    onRead((read += piece.length))
  }
}
