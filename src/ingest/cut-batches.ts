import { limits } from '../base/limits.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'
import type { BatchBuffers } from './batch-buffers.ts'
import { hasOpenQuote } from './open-quote.ts'

const newline = 0x0a

export type Cut = {
  /** Whether a line may be inside quotes, and is then no end of a row. */
  readonly quoted: boolean
  readonly bytesMax?: number
  /** For a long stream: where its batches' memory comes from. */
  readonly buffers?: BatchBuffers | undefined
}

/**
 * Cuts a stream into batches at the first end of a row at or after a fixed size. The place depends on the bytes alone,
 * not on how they arrive: the same rows sent again are the same batches.
 */
export async function* cutBatches(
  bytes: AsyncIterable<Uint8Array>,
  { quoted, bytesMax = limits.batchBytesMax, buffers }: Cut,
): AsyncGenerator<Buffer> {
  const capacity = bytesMax + limits.batchRowBytesMax
  // Grown for the first batch, because most requests are short.
  let buffer = buffers?.take(capacity) ?? Buffer.allocUnsafe(Math.min(capacity, firstBytes))
  let length = 0
  for await (const part of bytes) {
    for (let at = 0; at < part.length;) {
      const taken = part.subarray(at, at + capacity - length)
      buffer = withRoom(buffer, length, taken.length, capacity)
      buffer.set(taken, length)
      at += taken.length
      length += taken.length
      for (let end = 0; length >= bytesMax && end !== -1;) {
        end = endOfRow(buffer.subarray(0, length), bytesMax, quoted)
        if (end === -1 && length === capacity) throw tooLong()
        if (end === -1) continue
        // Put aside: whoever takes the batch may give memory back, which is then there for the next one.
        const rest = Buffer.from(buffer.subarray(end, length))
        yield buffer.subarray(0, end)
        buffer = buffers?.take(capacity) ?? Buffer.allocUnsafe(capacity)
        rest.copy(buffer)
        length = rest.length
      }
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

function endOfRow(buffer: Buffer, from: number, quoted: boolean): number {
  let open = false
  let looked = 0
  for (let at = buffer.indexOf(newline, from - 1); at !== -1; at = buffer.indexOf(newline, at + 1)) {
    if (!quoted) return at + 1
    if (hasOpenQuote(buffer, looked, at)) open = !open
    looked = at
    if (!open) return at + 1
  }
  return -1
}

const tooLong = (): UnreadableRows =>
  new UnreadableRows(`A row is longer than ${limits.batchRowBytesMax} bytes; is a quoted cell not closed?`)
