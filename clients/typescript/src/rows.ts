import { IncompleteAnswerError } from './errors.ts'

/**
 * Yields the objects of a response one by one as they arrive, and keeps only one in memory. `depth` is the number of open
 * braces and brackets around the objects. If the response is incomplete, throws after the last complete object.
 */
export async function* rowsAt<Row>(response: Response, depth: number, signal?: AbortSignal): AsyncGenerator<Row> {
  if (response.body === null) throw new IncompleteAnswerError('The answer has no body.')
  const scanner = new RowScanner(depth)
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (signal?.aborted === true) throw cause
        // If the service cannot complete a response, it closes the connection.
        throw new IncompleteAnswerError('The answer broke off before it was whole; ask again.', { cause })
      })
      for (const text of scanner.feed(decoder.decode(value, { stream: !done }))) {
        const row: Row = JSON.parse(text)
        yield row
      }
      if (done) break
    }
  } finally {
    // If the consumer stops early, this closes the connection, and the service ends the query.
    await reader.cancel().catch(() => {})
  }
  if (!scanner.isWhole) throw new IncompleteAnswerError('The answer ended before it was whole; ask again.')
}

class RowScanner {
  readonly #rowDepth: number
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hasBegun = false
  /** The part of an incomplete object that has arrived so far. */
  #rest = ''

  constructor(rowDepth: number) {
    this.#rowDepth = rowDepth
  }

  get isWhole(): boolean {
    return this.#hasBegun && this.#depth === 0
  }

  *feed(text: string): Generator<string> {
    let start = this.#depth > this.#rowDepth ? 0 : -1
    for (let index = 0; index < text.length; index += 1) {
      const change = this.#step(text[index] ?? '')
      if (change === 0) continue
      if (change === 1 && this.#depth === this.#rowDepth + 1) start = index
      if (change === -1 && this.#depth === this.#rowDepth) {
        yield this.#rest + text.slice(start, index + 1)
        this.#rest = ''
        start = -1
      }
    }
    if (start !== -1) this.#rest += text.slice(start)
  }

  /** Returns by how much this character changes the depth. */
  #step(character: string): -1 | 0 | 1 {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (character === '\\') this.#isEscaped = true
      else if (character === '"') this.#isInString = false
      return 0
    }
    if (character === '"') this.#isInString = true
    else if (character === '{' || character === '[') {
      this.#hasBegun = true
      this.#depth += 1
      return 1
    } else if (character === '}' || character === ']') {
      this.#depth -= 1
      return -1
    }
    return 0
  }
}
