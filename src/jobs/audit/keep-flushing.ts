import { repeat } from '../repeat.ts'

/** Writes down what has gathered every so often, never twice at once; whoever closes it waits until the rest is written. */
export function keepFlushing(
  flush: () => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const flushing = repeat(flush, pauseMs, onError)
  return async () => {
    await flushing.close()
    await flush().catch(onError)
  }
}
