const quote = 0x22
const four = 0x22222222
const lowBits = 0x7f7f7f7f
const none = new Uint32Array()

/**
 * Whether there is an odd number of quotes in a range: a cell is open at its end that was not at its beginning. Four bytes
 * at a time, because a large file goes through here.
 */
export function hasOpenQuote(buffer: Buffer, from: number, to: number): boolean {
  let odd = 0
  let at = from
  for (; at < to && (buffer.byteOffset + at) % 4 !== 0; at += 1) odd ^= buffer[at] === quote ? 1 : 0
  const words = to - at < 4 ? none : new Uint32Array(buffer.buffer, buffer.byteOffset + at, (to - at) >> 2)
  let lanes = 0
  // By index: a loop over the words themselves is fifteen times as slow.
  for (let index = 0; index < words.length; index += 1) {
    // The high bit of each byte that is a quote, and of no other.
    const difference = (words[index] ?? 0) ^ four
    lanes ^= ~(((difference & lowBits) + lowBits) | difference | lowBits)
  }
  at += words.length * 4
  for (; at < to; at += 1) odd ^= buffer[at] === quote ? 1 : 0
  const folded = lanes ^ (lanes >>> 16)
  return (odd ^ (((folded ^ (folded >>> 8)) >>> 7) & 1)) === 1
}
