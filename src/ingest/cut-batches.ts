import { limits } from '../base/limits.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'
import { hasOpenQuote } from './open-quote.ts'

const newline = 0x0a

export type Cut = {
  /** Whether a line may be inside quotes, and is then no end of a row. */
  readonly quoted: boolean
  readonly bytesMax?: number
}

/**
 * Cuts a stream into batches at the first end of a row at or after a fixed size. The place depends on the bytes alone,
 * not on how they arrive: the same rows sent again are the same batches.
 */
export async function* cutBatches(
  bytes: AsyncIterable<Uint8Array>,
  { quoted, bytesMax = limits.batchBytesMax }: Cut,
): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const part of bytes) {
    parts.push(part)
    length += part.length
    while (length >= bytesMax) {
      const buffer = Buffer.concat(parts)
      const end = endOfRow(buffer, bytesMax, quoted)
      parts = [end === -1 ? buffer : buffer.subarray(end)]
      if (end === -1) {
        if (length > bytesMax + limits.batchRowBytesMax) throw tooLong()
        break
      }
      yield buffer.subarray(0, end)
      length -= end
    }
  }
  if (length === 0) return
  const rest = Buffer.concat(parts)
  if (quoted && hasOpenQuote(rest, 0, rest.length)) throw new UnreadableRows('A quoted cell is not closed.')
  yield rest
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
