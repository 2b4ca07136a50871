import type { TestDefinition } from '../catalog/define-test.ts'
import { checkCsvHeader } from '../check/csv-header.ts'
import { limits } from '../base/limits.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'
import type { BatchBuffers } from './batch-buffers.ts'
import { cutBatches } from './cut-batches.ts'
import type { RowFormat } from './row-format.ts'

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
  let bytesBefore = line?.bytes ?? 0
  for await (const batch of cutBatches(rest, { quoted: kind === 'csv', buffers })) {
    const data = kind === 'ndjson' ? withoutBlankLines(batch) : batch
    const bytesAfter = bytesBefore + batch.length
    if (data.length > 0) yield { format, data, bytesBefore, bytesAfter }
    bytesBefore = bytesAfter
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Editors on Windows begin a file with one. */
async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first: Buffer | null = Buffer.alloc(0)
  for await (const part of bytes) {
    if (first === null) {
      yield part
      continue
    }
    first = Buffer.concat([first, part])
    if (first.length < byteOrderMark.length) continue
    yield first.subarray(first.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0)
    first = null
  }
  if (first !== null) yield first
}

type Line = { text: string; bytes: number }

async function takeLine(bytes: AsyncGenerator<Uint8Array>): Promise<{ line: Line; rest: AsyncIterable<Uint8Array> }> {
  let head = Buffer.alloc(0)
  for (let end = -1; end === -1; end = head.indexOf(0x0a)) {
    const { value, done } = await bytes.next()
    if (done === true) break
    head = Buffer.concat([head, value])
    if (head.length > limits.batchRowBytesMax + 65_536) throw new UnreadableRows('The first line does not end.')
  }
  const end = head.indexOf(0x0a) === -1 ? head.length : head.indexOf(0x0a) + 1
  const line = { text: head.toString('utf8', 0, end).trimEnd(), bytes: end }
  const rest = async function* () {
    if (end < head.length) yield head.subarray(end)
    yield* bytes
  }
  return { line, rest: rest() }
}

/** They say nothing, and must not be counted as rows that say nothing. */
function withoutBlankLines(batch: Buffer): Buffer {
  if (!batch.includes('\n\n') && !batch.includes('\n\r\n') && !/^[\r\n]/.test(batch.toString('latin1', 0, 1)))
    return batch
  const lines = batch.toString('latin1').split('\n')
  return Buffer.from(lines.filter((line) => line !== '' && line !== '\r').join('\n'), 'latin1')
}
