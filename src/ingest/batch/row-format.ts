import type { TestDefinition } from '../../catalog/define-test.ts'
import { csvRows, jsonRows, type RowSource } from '../../compile/ingest/row-source.ts'

/** How the bytes of a batch are to be read. */
export type RowFormat = { readonly kind: 'csv'; readonly header: readonly string[] } | { readonly kind: 'ndjson' }

export const rowSource = (test: TestDefinition, format: RowFormat): RowSource =>
  format.kind === 'csv' ? csvRows(test, format.header) : jsonRows(test)
