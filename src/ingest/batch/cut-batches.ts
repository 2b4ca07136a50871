import { ingestLimits } from '../../base/limits.ts'
import { UnreadableRows } from '../../engine/clickhouse/ingest/unreadable-rows.ts'
import type { BatchBuffers } from './batch-buffers.ts'
import { hasOpenQuote } from '../count-bytes.ts'
import { batchEndFinder } from './find-batch-end.ts'

export type Cut = {
  /** Whether a line may be inside quotes, and is then no end of a row. */
  readonly quoted: boolean
  readonly bytesMax?: number
  readonly linesMax?: number
  /** For a long stream: where its batches' memory comes from. */
  readonly buffers?: BatchBuffers | undefined
}

/**
 * Cuts a stream into batches at the first end of a row at or after a fixed size. The place depends on the bytes alone,
 * not on how they arrive: the same rows sent again are the same batches.
 */
export async function* cutBatches(
  bytes: AsyncIterable<Uint8Array>,
  { quoted, bytesMax = ingestLimits.batchBytesMax, linesMax = ingestLimits.batchLinesMax, buffers }: Cut,
): AsyncGenerator<Buffer> {
  const capacity = bytesMax + ingestLimits.rowBytesMax
  const newFinder = () => batchEndFinder({ quoted, bytesMax, linesMax })
  // Grown as it is filled, because most requests are short.
  const newBuffer = (length: number) =>
    buffers?.take(capacity) ?? Buffer.allocUnsafe(Math.min(capacity, Math.max(firstBytes, length)))
  let buffer = newBuffer(0)
  let findEnd = newFinder()
  let length = 0
  for await (const part of bytes) {
    for (let at = 0; at < part.length;) {
      const taken = part.subarray(at, at + Math.min(capacity - length, ingestLimits.sliceBytes))
      buffer = withRoom(buffer, length, taken.length, capacity)
      buffer.set(taken, length)
      at += taken.length
      length += taken.length
      for (let end = findEnd(buffer.subarray(0, length)); end !== -1; end = findEnd(buffer.subarray(0, length))) {
        // Put aside: whoever takes the batch may give memory back, which is then there for the next one.
        const rest = Buffer.from(buffer.subarray(end, length))
        yield buffer.subarray(0, end)
        buffer = newBuffer(rest.length)
        rest.copy(buffer)
        length = rest.length
        findEnd = newFinder()
      }
      if (length === capacity) throw tooLong()
    }
  }
  if (length === 0) return
  const rest = buffer.subarray(0, length)
  if (quoted && hasOpenQuote(rest, 0, rest.length)) throw new UnreadableRows('A quoted cell is not closed.')
  yield rest
}

const firstBytes = 256 * 1024

function withRoom(buffer: Buffer, length: number, more: number, capacity: number): Buffer {
  if (length + more <= buffer.length) return buffer
  const larger = Buffer.allocUnsafe(Math.min(capacity, Math.max(2 * buffer.length, length + more)))
  buffer.copy(larger, 0, 0, length)
  return larger
}

const tooLong = (): UnreadableRows =>
  new UnreadableRows(`A row is longer than ${ingestLimits.rowBytesMax} bytes; is a quoted cell not closed?`)
