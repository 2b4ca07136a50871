import { IncompleteAnswerError } from './errors.ts'

/** Formats of responses without an envelope. Arrow is a stream of Apache Arrow. */
export type FlatFormat = 'csv' | 'ndjson' | 'arrow'

/** How a complete response ends. A response in NDJSON without rows is empty. */
const ends: Readonly<Record<FlatFormat, readonly number[]>> = {
  csv: [0x0d, 0x0a],
  ndjson: [0x0a],
  arrow: [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
}

/** Yields the bytes of a response as they arrive. If the response is incomplete, throws after the last bytes. */
export async function* bytesOf(
  response: Response,
  format: FlatFormat,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (response.body === null) throw new IncompleteAnswerError('The answer has no body.')
  const reader = response.body.getReader()
  let last: number[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (signal?.aborted === true) throw cause
        // If the service cannot complete a response, it closes the connection.
        throw new IncompleteAnswerError('The answer broke off before it was whole; ask again.', { cause })
      })
      if (done) break
      last = [...last, ...value.slice(-8)].slice(-8)
      yield value
    }
  } finally {
    // If the consumer stops early, this closes the connection, and the service ends the query.
    await reader.cancel().catch(() => {})
  }
  const end = ends[format]
  const isWhole = end.every((byte, index) => last.at(index - end.length) === byte)
  if (!isWhole && !(format === 'ndjson' && last.length === 0)) {
    throw new IncompleteAnswerError('The answer ended before it was whole; ask again.')
  }
}
