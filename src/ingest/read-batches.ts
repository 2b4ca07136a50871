import type { TestDefinition } from '../catalog/define-test.ts'
import { checkCsvHeader } from '../check/csv-header.ts'
import type { BatchBuffers } from './batch-buffers.ts'
import { cutBatches } from './cut-batches.ts'
import type { RowFormat } from './row-format.ts'
import { takeLine, withoutMark } from './take-line.ts'

export type ReadBatch = {
  readonly format: RowFormat
  readonly data: Buffer
  /** Where it begins and ends in the stream. */
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** The batches of a stream. The first line of CSV names the columns and belongs to each. */
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
    const data = kind === 'ndjson' ? withoutBlankLines(batch) : batch
    const bytesAfter = bytesBefore + batch.length
    if (data !== batch) buffers?.giveBack(batch)
    if (data.length > 0) yield { format, data, bytesBefore, bytesAfter }
    bytesBefore = bytesAfter
  }
}

/** They say nothing, and must not be counted as rows that say nothing. */
function withoutBlankLines(batch: Buffer): Buffer {
  if (!batch.includes('\n\n') && !batch.includes('\n\r\n') && !/^[\r\n]/.test(batch.toString('latin1', 0, 1)))
    return batch
  // Byte by byte, not by lists of lines: a batch may be nothing but ends of lines, thirty million of them.
  const kept = Buffer.allocUnsafe(batch.length)
  let length = 0
  let isLineStart = true
  for (let at = 0; at < batch.length; at += 1) {
    const byte = batch[at] ?? 0
    const isBlank = byte === lineEnd || (byte === carriageReturn && (batch[at + 1] ?? lineEnd) === lineEnd)
    if (isLineStart && isBlank) continue
    kept[length] = byte
    length += 1
    isLineStart = byte === lineEnd
  }
  return kept.subarray(0, kept[length - 1] === lineEnd ? length - 1 : length)
}

const [lineEnd, carriageReturn] = [0x0a, 0x0d]
