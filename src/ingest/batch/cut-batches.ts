import { ingestLimits } from '../../base/limits.ts'
import { UnreadableRows } from '../../engine/clickhouse/ingest/unreadable-rows.ts'
import { countNewlines, findNewline, hasOpenQuote } from '../count-bytes.ts'

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

const newline = 0x0a
const quote = 0x22

type BatchSize = {
  /** Whether a line may be inside quotes, and is then no end of a row. */
  readonly quoted: boolean
  readonly bytesMax: number
  /** Of lines: a quoted cell may hold several. */
  readonly linesMax: number
}

/**
 * Finds where a batch ends: at the first end of a row at or after so many bytes or lines. Called with all there is of the
 * batch whenever more has come, it answers -1 until the end is there, and looks at no byte again: a sender decides how small
 * the pieces are.
 */
function batchEndFinder({ quoted, bytesMax, linesMax }: BatchSize): (batch: Buffer) => number {
  let counted = 0
  let lines = 0
  let open = false
  /** The end is here or later, once that is known. */
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

/** Memory of batches that are stored, for those that follow: freed by chance alone it would pile up while a file is read. */
export type BatchBuffers = {
  take: (bytes: number) => Buffer
  /** Only when nobody reads it any more. What did not come from here is left alone. */
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
