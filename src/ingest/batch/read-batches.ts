import type { TestDefinition } from '../../catalog/define-test.ts'
import { checkCsvHeader } from '../../check/rows/csv-header.ts'
import { type BatchBuffers, cutBatches } from './cut-batches.ts'
import type { RowFormat } from './batch.ts'
import { takeLine, withoutBlankLines, withoutMark } from './lines.ts'

export type ReadBatch = {
  readonly format: RowFormat
  readonly data: Buffer
  /** Position in the stream where the batch starts. `bytesAfter` is the position where it ends. */
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** Reads a stream of rows as batches. In CSV, the first line of the stream names the columns of every batch. */
export async function* readBatches(
  bytes: AsyncIterable<Uint8Array>,
  kind: RowFormat['kind'],
  test: TestDefinition,
  buffers?: BatchBuffers,
): AsyncGenerator<ReadBatch> {
  const { line, rest } = kind === 'csv' ? await takeLine(withoutMark(bytes)) : { line: null, rest: withoutMark(bytes) }
  const format: RowFormat =
    line === null ? { kind: 'ndjson' } : { kind: 'csv', header: checkCsvHeader(line.text, test) }
  let bytesBefore = line?.bytes.length ?? 0
  for await (const batch of cutBatches(rest, { quoted: kind === 'csv', buffers })) {
    const data = kind === 'ndjson' ? await withoutBlankLines(batch) : batch
    const bytesAfter = bytesBefore + batch.length
    if (data !== batch) buffers?.giveBack(batch)
    if (data.length > 0) yield { format, data, bytesBefore, bytesAfter }
    bytesBefore = bytesAfter
  }
}
