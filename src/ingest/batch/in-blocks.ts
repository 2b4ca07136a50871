/**
 * The same bytes in blocks of one size, the last one shorter, wherever they were cut before. Each block is overwritten by the
 * next.
 */
export async function* inBlocks(
  parts: AsyncIterable<Uint8Array>,
  blockBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const block = new Uint8Array(blockBytes)
  let length = 0
  for await (const part of parts) {
    for (let at = 0; at < part.length;) {
      const copied = part.subarray(at, at + blockBytes - length)
      block.set(copied, length)
      at += copied.length
      length += copied.length
      if (length < blockBytes) continue
      yield block
      length = 0
    }
  }
  if (length > 0) yield block.subarray(0, length)
}
