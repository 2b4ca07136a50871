/**
 * SQL text that is built only from literals in the source, other `Sql`, and bound values. A plain string in a template is a
 * compile error, so text from a request cannot become SQL.
 */
export class Sql {
  readonly #parts: readonly (string | Bound)[]

  private constructor(parts: readonly (string | Bound)[]) {
    this.#parts = parts
  }

  get parts(): readonly (string | Bound)[] {
    return this.#parts
  }

  static from(strings: TemplateStringsArray, values: readonly (Sql | Bound)[]): Sql {
    return Sql.#merged(strings.flatMap((text, index) => [text, values[index] ?? '']))
  }

  /** For `join` only: a template for each item would copy the items before it again. */
  static joined(items: readonly Sql[], separator: string): Sql {
    return Sql.#merged(items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])))
  }

  /** Merges neighbouring texts: every template around this one copies its parts again. */
  static #merged(pieces: readonly (string | Bound | Sql)[]): Sql {
    const parts: (string | Bound)[] = []
    let text = ''
    const add = (part: string | Bound): void => {
      if (typeof part === 'string') text += part
      else {
        parts.push(text, part)
        text = ''
      }
    }
    for (const piece of pieces) {
      if (piece instanceof Sql) piece.#parts.forEach(add)
      else add(piece)
    }
    return new Sql([...parts, text])
  }

  /** For `sharingValues` only. */
  static mapped(query: Sql, change: (bound: Bound) => Bound): Sql {
    return new Sql(query.parts.map((part) => (typeof part === 'string' ? part : change(part))))
  }

  /** For this file only. Other code uses `identifier`, `literal` or the template tag. */
  static raw(text: string): Sql {
    return new Sql([text])
  }
}

/** A value, and the ClickHouse type of its parameter. */
export type Bound = { readonly type: string; readonly value: unknown }

export const bind = (type: string, value: unknown): Bound => ({ type, value })

/** A column name that the caller has chosen, bound like a value. ClickHouse uses it unchanged. */
export const boundName = (name: string): Bound => ({ type: 'Identifier', value: new BoundName(name) })

export class BoundName {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const sql = (strings: TemplateStringsArray, ...values: (Sql | Bound)[]): Sql => Sql.from(strings, values)

/** Returns a name from the catalogue as SQL. Throws if it is not a plain identifier, which would be a programming error. */
export function identifier(name: string): Sql {
  if (!/^[a-z_][a-z0-9_]*$/i.test(name)) throw new Error(`not an identifier: ${JSON.stringify(name)}`)
  return Sql.raw(name)
}

/** A text literal for the comments of columns and tables: DDL statements take no parameters. */
export const literal = (text: string): Sql => Sql.raw(`'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)

export function numberLiteral(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`)
  return Sql.raw(String(value))
}

/** A number of a request where ClickHouse accepts no parameter, such as the level of a percentile. */
export function decimalLiteral(value: number): Sql {
  if (!Number.isFinite(value) || value < 0) throw new Error(`not a decimal number: ${value}`)
  return Sql.raw(String(value))
}

export function join(items: readonly Sql[], separator: ', ' | ',\n  ' | ' AND ' | ' OR ' | '\n  AND ' | ' '): Sql {
  return Sql.joined(items, separator)
}

/**
 * Names an expression for its use in another one. ClickHouse repeats the expression of an alias at each use, and takes long to
 * analyse aliases that use each other. It does not repeat this one.
 */
export const named = (name: string, value: Sql, use: (name: Sql) => Sql): Sql =>
  sql`arrayMap(${identifier(name)} -> ${use(identifier(name))}, [${value}])[1]`

/**
 * Sends equal values of a statement as one parameter. A statement that consists of similar parts would otherwise have more
 * parameters than ClickHouse accepts, which is 1,000.
 */
export function sharingValues(query: Sql): Sql {
  const known = new Map<string, Bound>()
  return Sql.mapped(query, (bound) => {
    const key = `${bound.type} ${JSON.stringify(bound.value)}`
    const same = known.get(key) ?? bound
    known.set(key, same)
    return same
  })
}

export type Statement = { readonly text: string; readonly params: Readonly<Record<string, unknown>> }

/**
 * Numbers the parameters in order of appearance, so that equal queries have equal text. A value that the query uses several
 * times is sent as one parameter.
 */
export function statement(query: Sql): Statement {
  const params: Record<string, unknown> = {}
  const written = new Map<Bound, string>()
  const parameter = (type: string, value: unknown): string => {
    const name = `p${Object.keys(params).length + 1}`
    params[name] = value
    return `{${name}:${type}}`
  }
  const write = ({ type, value }: Bound): string => {
    const pieces = Array.isArray(value) ? piecesOf(value) : [value]
    const [first] = pieces
    if (pieces.length <= 1) return parameter(type, first ?? value)
    return `arrayConcat(${pieces.map((piece) => parameter(type, piece)).join(', ')})`
  }
  const text = query.parts.map((part) => {
    if (typeof part === 'string') return part
    const placeholder = written.get(part) ?? write(part)
    written.set(part, placeholder)
    return placeholder
  })
  return { text: text.join(''), params }
}

/** Maximum size of one parameter. ClickHouse's own maximum is 128 KiB. */
const parameterBytesMax = 100_000

/** Splits a list into pieces, each of which fits into one parameter. */
function piecesOf(list: readonly unknown[]): (readonly unknown[])[] {
  // A UTF-16 code unit takes at most three bytes in UTF-8. With this estimate, the items of most lists need not be measured
  // one by one.
  if (JSON.stringify(list).length <= parameterBytesMax / 3) return [list]
  const pieces: unknown[][] = [[]]
  let bytes = 0
  for (const item of list) {
    // The parameter is a string literal, which escapes an apostrophe with a backslash. JSON does not escape it, so each
    // apostrophe adds one byte.
    const text = JSON.stringify(item)
    const size = Buffer.byteLength(text) + text.split("'").length
    if (bytes + size > parameterBytesMax && bytes > 0) {
      pieces.push([])
      bytes = 0
    }
    pieces.at(-1)?.push(item)
    bytes += size
  }
  return pieces
}
