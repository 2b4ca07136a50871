const lowBits = 0x7f7f7f7f
const none = new Uint32Array()

/** The whole words of a range of a buffer, and where they begin and end in it. */
function wordsOf(buffer: Buffer, from: number, to: number): { words: Uint32Array; begin: number; end: number } {
  const begin = Math.min(to, from + ((4 - ((buffer.byteOffset + from) % 4)) % 4))
  const words = to - begin < 4 ? none : new Uint32Array(buffer.buffer, buffer.byteOffset + begin, (to - begin) >> 2)
  return { words, begin, end: begin + words.length * 4 }
}

/** The high bit of each byte of a word that equals the byte four times over in `repeated`, and of no other. */
const matchingBits = (word: number, repeated: number): number => {
  const difference = word ^ repeated
  return ~(((difference & lowBits) + lowBits) | difference | lowBits)
}

const quote = 0x22
const quotes = 0x22222222

/**
 * Whether there is an odd number of quotes in a range: a cell is open at its end that was not at its beginning. Four bytes
 * at a time, because a large file goes through here.
 */
export function hasOpenQuote(buffer: Buffer, from: number, to: number): boolean {
  const { words, begin, end } = wordsOf(buffer, from, to)
  let odd = 0
  for (let at = from; at < begin; at += 1) odd ^= buffer[at] === quote ? 1 : 0
  let lanes = 0
  // By index: a loop over the words themselves is fifteen times as slow.
  for (let index = 0; index < words.length; index += 1) lanes ^= matchingBits(words[index] ?? 0, quotes)
  for (let at = end; at < to; at += 1) odd ^= buffer[at] === quote ? 1 : 0
  const folded = lanes ^ (lanes >>> 16)
  return (odd ^ (((folded ^ (folded >>> 8)) >>> 7) & 1)) === 1
}

const newline = 0x0a
const newlines = 0x0a0a0a0a

/** In the same way. */
export function countNewlines(buffer: Buffer, from: number, to: number): number {
  const { words, begin, end } = wordsOf(buffer, from, to)
  let count = 0
  for (let at = from; at < begin; at += 1) count += buffer[at] === newline ? 1 : 0
  for (let index = 0; index < words.length; index += 1)
    count += Math.imul(matchingBits(words[index] ?? 0, newlines) >>> 7, 0x01010101) >>> 24
  for (let at = end; at < to; at += 1) count += buffer[at] === newline ? 1 : 0
  return count
}

/** Whether something holds after a newline of a range. In the same way. */
export function isAfterNewline(
  buffer: Buffer,
  from: number,
  to: number,
  holds: (buffer: Buffer, at: number) => boolean,
): boolean {
  const { words, begin, end } = wordsOf(buffer, from, to)
  const isIn = (first: number, last: number): boolean => {
    for (let at = first; at < last; at += 1) if (buffer[at] === newline && holds(buffer, at + 1)) return true
    return false
  }
  if (isIn(from, begin) || isIn(end, to)) return true
  for (let index = 0; index < words.length; index += 1) {
    if (matchingBits(words[index] ?? 0, newlines) === 0) continue
    if (isIn(begin + 4 * index, begin + 4 * index + 4)) return true
  }
  return false
}

/** Where the newline is that is so many after `from`, which there must be. */
export function findNewline(buffer: Buffer, from: number, nth: number): number {
  let at = from
  for (let left = nth; left > 0; at += 1) if (buffer[at] === newline) left -= 1
  return at - 1
}
