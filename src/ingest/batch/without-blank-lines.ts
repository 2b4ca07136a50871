import { setImmediate } from 'node:timers/promises'
import { ingestLimits } from '../../base/limits.ts'
import { isAfterNewline } from '../count-bytes.ts'

const sliceBytes = ingestLimits.sliceBytes
const [newline, carriageReturn] = [0x0a, 0x0d]

/** Blank lines say nothing, and must not be counted as rows that say nothing. */
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

/** The end of the last line is none. */
const isBlank = (batch: Buffer, at: number): boolean =>
  batch[at] === newline || (batch[at] === carriageReturn && (batch[at + 1] ?? newline) === newline)

type Copied = { readonly length: number; readonly isLineStart: boolean }

/** Byte by byte: a list of lines would take ten times the memory of a batch of line ends. */
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
