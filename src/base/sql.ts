/**
 * SQL text that can only be put together from literals in the source, other `Sql`, and bound values. A plain string
 * in a template is a compile error, so text from a request cannot become SQL.
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
    const parts = strings.flatMap((text, index) => {
      const value = values[index]
      if (value === undefined) return [text]
      return value instanceof Sql ? [text, ...value.parts] : [text, value]
    })
    return new Sql(parts)
  }

  /** For this file only: everything else goes through `identifier`, `literal` or the tag. */
  static raw(text: string): Sql {
    return new Sql([text])
  }
}

/** A value with the ClickHouse type it is bound as. */
export type Bound = { readonly type: string; readonly value: unknown }

export const bind = (type: string, value: unknown): Bound => ({ type, value })

/** A name a caller has chosen, for a column of an answer: bound like a value. The engine takes its text as it stands. */
export const boundName = (name: string): Bound => ({ type: 'Identifier', value: new BoundName(name) })

export class BoundName {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const sql = (strings: TemplateStringsArray, ...values: (Sql | Bound)[]): Sql => Sql.from(strings, values)

/** A name from the catalogue. Anything that is not a plain identifier is a programming error and stops here. */
export function identifier(name: string): Sql {
  if (!/^[a-z_][a-z0-9_]*$/i.test(name)) throw new Error(`not an identifier: ${JSON.stringify(name)}`)
  return Sql.raw(name)
}

/** A text literal in DDL, which takes no parameters: comments of columns and tables. */
export const literal = (text: string): Sql => Sql.raw(`'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)

/** A number in DDL. */
export function numberLiteral(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`)
  return Sql.raw(String(value))
}

export function join(items: readonly Sql[], separator: ', ' | ',\n  ' | ' AND ' | '\n  AND ' | ' '): Sql {
  return items.reduce((all, item, index) => (index === 0 ? item : sql`${all}${Sql.raw(separator)}${item}`), sql``)
}

export type Statement = { readonly text: string; readonly params: Readonly<Record<string, unknown>> }

/**
 * Parameters are numbered in order of appearance, so the text of a statement is the same every time. A bound value that stands
 * in several places is sent once.
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

/** The engine takes 128 KiB for a parameter, wherever it stands. */
const parameterBytesMax = 100_000

/** A list in as many parts as the engine takes at once. */
function piecesOf(list: readonly unknown[]): (readonly unknown[])[] {
  // No character takes more than three bytes for each of its halves: nearly every list is small enough at first sight.
  if (JSON.stringify(list).length <= parameterBytesMax / 3) return [list]
  const pieces: unknown[][] = [[]]
  let bytes = 0
  for (const item of list) {
    // An apostrophe is nothing to JSON, and is written with a backslash where strings stand between apostrophes.
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
