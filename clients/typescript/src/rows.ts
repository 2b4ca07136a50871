import { IncompleteAnswerError } from './errors.ts'

/**
 * The objects that stand at a depth of an answer, one by one as they arrive, at the memory of one of them. `depth` is how
 * many braces and brackets are open around them. An answer that ends too early throws after its last whole row.
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
        // The service breaks a connection off when it cannot finish an answer.
        throw new IncompleteAnswerError('The answer broke off before it was whole; ask again.', { cause })
      })
      for (const text of scanner.feed(decoder.decode(value, { stream: !done }))) {
        const row: Row = JSON.parse(text)
        yield row
      }
      if (done) break
    }
  } finally {
    // Whoever stops reading early lets go of the connection, and the service of its query.
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
  /** What has come of a row that is not whole yet. */
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

  /** By how much the depth changed with this character. */
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
