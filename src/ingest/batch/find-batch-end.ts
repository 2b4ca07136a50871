import { countNewlines, findNewline, hasOpenQuote } from '../count-bytes.ts'

const newline = 0x0a
const quote = 0x22

export type BatchSize = {
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
export function batchEndFinder({ quoted, bytesMax, linesMax }: BatchSize): (batch: Buffer) => number {
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
