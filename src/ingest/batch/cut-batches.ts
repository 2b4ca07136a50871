import { ingestLimits } from '../../base/limits.ts'
import { UnreadableRows } from '../../engine/clickhouse/ingest/unreadable-rows.ts'
import { countNewlines, findNewline, hasOpenQuote } from '../count-bytes.ts'

export type Cut = {
  /** True if cells may be quoted: a newline inside quotes does not end a row. */
  readonly quoted: boolean
  readonly bytesMax?: number
  readonly linesMax?: number
  /** Reuses the memory of earlier batches. For long streams. */
  readonly buffers?: BatchBuffers | undefined
}

/**
 * Divides a stream into batches. A batch ends with the first row that ends at or after a fixed size. The division depends only
 * on the bytes, not on the chunks in which they arrive. So if the same rows are sent again, they give the same batches.
 */
export async function* cutBatches(
  bytes: AsyncIterable<Uint8Array>,
  { quoted, bytesMax = ingestLimits.batchBytesMax, linesMax = ingestLimits.batchLinesMax, buffers }: Cut,
): AsyncGenerator<Buffer> {
  const capacity = bytesMax + ingestLimits.rowBytesMax
  const newFinder = () => batchEndFinder({ quoted, bytesMax, linesMax })
  // The first buffer is small and grows, because most requests are short.
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
        // Copy the rest before the yield: the consumer may give the buffer back, and the next batch may reuse it.
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

const newline = 0x0a
const quote = 0x22

type BatchSize = {
  /** True if cells may be quoted: a newline inside quotes does not end a row. */
  readonly quoted: boolean
  readonly bytesMax: number
  /** Maximum number of lines, not of rows: a quoted cell may contain newlines. */
  readonly linesMax: number
}

/**
 * Returns a function that finds the end of a batch: after the first row that ends at or after the maximum of bytes or lines.
 * Call that function with the whole batch whenever more bytes have arrived. It returns -1 until it finds the end. It reads no
 * byte twice, because a sender may send tiny chunks.
 */
function batchEndFinder({ quoted, bytesMax, linesMax }: BatchSize): (batch: Buffer) => number {
  let counted = 0
  let lines = 0
  let open = false
  /** The index up to which the function has found no end of the batch. -1 until the batch has reached its size. */
  let searched = -1
  const countQuotes = (batch: Buffer, from: number, to: number) => {
    if (quoted && hasOpenQuote(batch, from, to)) open = !open
  }
  const findSize = (batch: Buffer): number => {
    const more = countNewlines(batch, counted, batch.length)
    const bytesEnd = batch.length < bytesMax ? Infinity : bytesMax - 1
    const linesEnd = lines + more < linesMax ? Infinity : findNewline(batch, counted, linesMax - lines)
    const end = Math.min(bytesEnd, linesEnd)
    countQuotes(batch, counted, Math.min(end, batch.length))
    counted = batch.length
    lines += more
    return end === Infinity ? -1 : end
  }
  return (batch) => {
    if (searched === -1) searched = findSize(batch)
    if (searched === -1) return -1
    let at = searched
    for (; at < batch.length; at += 1) {
      const byte = batch[at]
      if (byte === newline && !open) return at + 1
      if (byte === quote && quoted) open = !open
    }
    searched = at
    return -1
  }
}

/** Reuses the memory of stored batches. During the import of a file, the garbage collector would free it too late. */
export type BatchBuffers = {
  take: (bytes: number) => Buffer
  /** Call it after the last read of `data`. It ignores memory that does not come from `take`. */
  giveBack: (data: Uint8Array) => void
}

export function batchBuffers(): BatchBuffers {
  const taken = new Set<ArrayBufferLike>()
  const free: Buffer[] = []
  return {
    take: (bytes) => {
      const fitting = free.findIndex((buffer) => buffer.length >= bytes)
      const [buffer = Buffer.allocUnsafeSlow(bytes)] = fitting === -1 ? [] : free.splice(fitting, 1)
      taken.add(buffer.buffer)
      return buffer
    },
    giveBack: ({ buffer }) => {
      if (taken.delete(buffer)) free.push(Buffer.from(buffer))
    },
  }
}
