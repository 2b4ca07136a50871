/** Limits for one JSON text. A structure is an object, a list or a field: each takes far more memory than its characters. */
export type JsonBounds = { readonly depthMax: number; readonly structuresMax: number; readonly valuesMax: number }

export class JsonTooLargeError extends Error {}

/**
 * Parses JSON. Refuses texts that two parsers could interpret differently: a duplicate key, `__proto__`, or a number that a
 * double cannot represent. This parser uses `JSON.parse` only for strings. In objects, V8 14.6 can mistake a key with an
 * escape for another key that it parsed earlier (nodejs/node#63785). The body of one caller could then change the keys in the
 * body of another.
 */
export function parseJson(text: string, bounds: JsonBounds): unknown {
  return new Reader(text, bounds).readText()
}

const code = (character: string): number => character.charCodeAt(0)
const [quote, backslash, colon, comma] = [code('"'), code('\\'), code(':'), code(',')]
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')]
const [space, tab, newline, carriageReturn] = [code(' '), code('\t'), code('\n'), code('\r')]
const literals = new Map([
  [code('t'), { word: 'true', value: true }],
  [code('f'), { word: 'false', value: false }],
  [code('n'), { word: 'null', value: null }],
])
/**
 * Finds a control character or a backslash. The character class excludes the range from space to `[` and the range from `]`
 * on.
 */
const special = /[^ -[\]-\uffff]/
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

class Reader {
  readonly #text: string
  readonly #bounds: JsonBounds
  #at = 0
  #structures = 0
  #values = 0

  constructor(text: string, bounds: JsonBounds) {
    this.#text = text
    this.#bounds = bounds
  }

  readText(): unknown {
    const value = this.#readValue(0)
    this.#skipSpace()
    if (this.#at !== this.#text.length) throw new SyntaxError('text after the value')
    return value
  }

  #readValue(depth: number): unknown {
    this.#values += 1
    if (this.#values > this.#bounds.valuesMax) throw tooMany(this.#bounds.valuesMax, 'values')
    const first = this.#skipSpace()
    if (first === quote) return this.#readString()
    if (first === openBracket) return this.#readList(depth + 1)
    if (first === openBrace) return this.#readObject(depth + 1)
    const literal = literals.get(first)
    if (literal === undefined) return this.#readNumber()
    if (!this.#text.startsWith(literal.word, this.#at)) throw new SyntaxError('an unknown word')
    this.#at += literal.word.length
    return literal.value
  }

  #readList(depth: number): unknown[] {
    this.#openBracket(depth)
    const items: unknown[] = []
    if (this.#skipSpace() === closeBracket) this.#at += 1
    else
      do items.push(this.#readValue(depth))
      while (this.#isMore(closeBracket))
    return items
  }

  #readObject(depth: number): Record<string, unknown> {
    this.#openBracket(depth)
    const object: Record<string, unknown> = {}
    if (this.#skipSpace() === closeBrace) this.#at += 1
    else
      do this.#readField(object, depth)
      while (this.#isMore(closeBrace))
    return object
  }

  #readField(object: Record<string, unknown>, depth: number): void {
    this.#countStructure()
    if (this.#skipSpace() !== quote) throw new SyntaxError('a key that is no string')
    const key = this.#readString()
    if (key === '__proto__' || Object.hasOwn(object, key)) throw new SyntaxError('an ambiguous key')
    if (this.#skipSpace() !== colon) throw new SyntaxError('a key without a value')
    this.#at += 1
    object[key] = this.#readValue(depth)
  }

  #readString(): string {
    const start = this.#at + 1
    const end = this.#text.indexOf('"', start)
    const plain = this.#text.slice(start, end)
    if (end === -1 || special.test(plain)) return this.#readEscaped()
    this.#at = end + 1
    return plain
  }

  #readEscaped(): string {
    const text = this.#text
    const start = this.#at
    let end = start + 1
    for (let next = text.charCodeAt(end); next !== quote; next = text.charCodeAt(end)) {
      // At the end of the text `next` is NaN. Every comparison with NaN is false, so this condition also finds the end.
      if (!(next >= space)) throw new SyntaxError('a string with a control character, or without an end')
      end += next === backslash ? 2 : 1
    }
    this.#at = end + 1
    return JSON.parse(text.slice(start, end + 1))
  }

  #readNumber(): number {
    number.lastIndex = this.#at
    if (!number.test(this.#text)) throw new SyntaxError('no value')
    const value = Number(this.#text.slice(this.#at, number.lastIndex))
    if (!isExact(value)) throw new SyntaxError('a number that a double cannot hold')
    this.#at = number.lastIndex
    return value
  }

  #openBracket(depth: number): void {
    if (depth > this.#bounds.depthMax) throw new SyntaxError('brackets too deep')
    this.#countStructure()
    this.#at += 1
  }

  /** Called after an item. Returns true if another item follows. */
  #isMore(closing: number): boolean {
    const next = this.#skipSpace()
    if (next !== comma && next !== closing) throw new SyntaxError('neither a comma nor the end')
    this.#at += 1
    return next === comma
  }

  /** Moves to the next character that is not white space and returns it. */
  #skipSpace(): number {
    let at = this.#at
    let next = this.#text.charCodeAt(at)
    while (next === space || next === newline || next === tab || next === carriageReturn) {
      at += 1
      next = this.#text.charCodeAt(at)
    }
    this.#at = at
    return next
  }

  #countStructure(): void {
    this.#structures += 1
    if (this.#structures > this.#bounds.structuresMax)
      throw tooMany(this.#bounds.structuresMax, 'objects, lists and fields')
  }
}

const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))

const tooMany = (max: number, what: string): JsonTooLargeError =>
  new JsonTooLargeError(`This value should have at most ${max} ${what}.`)
