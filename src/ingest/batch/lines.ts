import { setImmediate } from 'node:timers/promises'
import { ingestLimits } from '../../base/limits.ts'
import { isAfterNewline } from '../count-bytes.ts'
import { UnreadableRows } from '../../engine/clickhouse/ingest/unreadable-rows.ts'

const sliceBytes = ingestLimits.sliceBytes
const [newline, carriageReturn] = [0x0a, 0x0d]

/** Removes blank lines, because ClickHouse would count them as rows. */
export async function withoutBlankLines(batch: Buffer): Promise<Buffer> {
  let from = 0
  for (; from < batch.length && !hasBlankLine(batch, from); from += sliceBytes) await setImmediate()
  if (from >= batch.length) return batch
  const kept = Buffer.allocUnsafe(batch.length)
  batch.copy(kept, 0, 0, from)
  let copied: Copied = { length: from, isLineStart: from === 0 || batch[from - 1] === newline }
  for (; from < batch.length; from += sliceBytes) {
    copied = copyLines(batch, from, kept, copied)
    await setImmediate()
  }
  const { length } = copied
  return kept.subarray(0, kept[length - 1] === newline ? length - 1 : length)
}

const hasBlankLine = (batch: Buffer, from: number): boolean =>
  (from === 0 && isBlank(batch, 0)) || isAfterNewline(batch, from, Math.min(batch.length, from + sliceBytes), isBlank)

/** Returns true if a blank line starts at this position. The end of the data does not count as a blank line. */
const isBlank = (batch: Buffer, at: number): boolean =>
  batch[at] === newline || (batch[at] === carriageReturn && (batch[at + 1] ?? newline) === newline)

type Copied = { readonly length: number; readonly isLineStart: boolean }

/**
 * Copies byte by byte. If a batch contains only newlines, an array of its lines would take ten times the memory of the batch.
 */
function copyLines(batch: Buffer, from: number, kept: Buffer, before: Copied): Copied {
  const to = Math.min(batch.length, from + sliceBytes)
  let { length, isLineStart: atStart } = before
  for (let at = from; at < to; at += 1) {
    if (atStart && isBlank(batch, at)) continue
    const byte = batch[at] ?? 0
    kept[length] = byte
    length += 1
    atStart = byte === newline
  }
  return { length, isLineStart: atStart }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Removes the byte order mark, which editors on Windows write at the start of a file. */
export async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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

/** `bytes` includes the line end, `text` does not. */
type Line = { text: string; bytes: Buffer }

/** Returns the first line, and a generator of everything after it. */
export async function takeLine(
  bytes: AsyncGenerator<Uint8Array>,
): Promise<{ line: Line; rest: AsyncIterable<Uint8Array> }> {
  let head = Buffer.alloc(0)
  for (let end = -1; end === -1; end = head.indexOf(0x0a)) {
    const { value, done } = await bytes.next()
    if (done === true) break
    head = Buffer.concat([head, value])
    if (head.length > ingestLimits.rowBytesMax + 65_536) throw new UnreadableRows('The first line does not end.')
  }
  const end = head.indexOf(0x0a) === -1 ? head.length : head.indexOf(0x0a) + 1
  const line = { text: head.toString('utf8', 0, end).trimEnd(), bytes: head.subarray(0, end) }
  const rest = async function* () {
    if (end < head.length) yield head.subarray(end)
    yield* bytes
  }
  return { line, rest: rest() }
}
