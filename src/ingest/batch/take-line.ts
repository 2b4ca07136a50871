import { ingestLimits } from '../../base/limits.ts'
import { UnreadableRows } from '../../engine/clickhouse/ingest/unreadable-rows.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Editors on Windows begin a file with one. */
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

/** As text without its end, and as it is. */
type Line = { text: string; bytes: Buffer }

/** The first line, and everything after it. */
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
