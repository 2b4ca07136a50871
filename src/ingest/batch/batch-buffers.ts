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
