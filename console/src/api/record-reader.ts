/**
 * Parses a response `{"code":"OK",…,"data":[{…},{…}]}` in pieces as they arrive, and returns the complete records. One pass
 * over the characters finds where records end. The browser's own JSON parser parses the records.
 */
export class RecordReader<Row> {
  readonly #rowDepth: number
  #depth = 0
  #isInText = false
  #isEscaped = false
  #pending = ''

  /** `rowDepth` is the number of open braces and brackets inside a row, including the row's own brace. */
  constructor(rowDepth = 3) {
    this.#rowDepth = rowDepth
  }

  /** True when the whole envelope has arrived. An incomplete response must not be used. */
  isWhole = false

  take(piece: string): Row[] {
    const text = this.#pending + piece
    const { start, end } = this.#findRecords(text, this.#pending.length)
    this.#pending = start === -1 ? '' : text.slice(end === -1 ? start : end)
    if (end === -1) return []
    const rows: Row[] = JSON.parse(`[${text.slice(start, end).replace(/^\s*,/, '')}]`)
    return rows
  }

  /**
   * Returns the range of complete records in `text`. The range starts at the first record, or at the rest of a record whose
   * beginning arrived earlier. It ends after the last complete record.
   */
  #findRecords(text: string, from: number): { start: number; end: number } {
    let start = from > 0 ? 0 : -1
    let end = -1
    for (let at = from; at < text.length; at += 1) {
      const change = this.#step(text.charCodeAt(at))
      if (change === 1 && this.#depth === this.#rowDepth && start === -1) start = at
      if (change === -1 && this.#depth === this.#rowDepth - 1) end = at + 1
      if (change === -1 && this.#depth === 0) this.isWhole = true
    }
    return { start, end }
  }

  /** Returns 1 for an opening bracket, -1 for a closing one and 0 otherwise. Brackets inside strings do not count. */
  #step(code: number): -1 | 0 | 1 {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === 92) this.#isEscaped = true
      else if (code === 34) this.#isInText = false
      return 0
    }
    if (code === 34) this.#isInText = true
    const change = code === 123 || code === 91 ? 1 : code === 125 || code === 93 ? -1 : 0
    this.#depth += change
    return change
  }
}
