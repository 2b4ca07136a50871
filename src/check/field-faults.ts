import { validationFail, type FieldDetail } from '../base/fault.ts'
import { choiceDetail } from './choices.ts'

/** Collects all faults of a request, so that one response can list them. */
export class FieldFaults {
  /** A Map, because a plain object inherits names such as `constructor`, which a field of a request can have too. */
  readonly #errors = new Map<string, string[]>()
  readonly #details = new Map<string, FieldDetail>()
  #count = 0

  add(path: string, message: string, detail?: () => FieldDetail): void {
    this.#count += 1
    if (this.#count > faultsMax) return
    if (detail !== undefined && this.#count <= detailsMax) this.#details.set(path, detail())
    const present = this.#errors.get(path)
    if (present === undefined) this.#errors.set(path, [message])
    else present.push(message)
  }

  /**
   * Adds a fault for a value that is not a choice, is not a string, or is missing. `choices` is called only if the response has
   * room for the detail.
   */
  addChoice(path: string, value: unknown, choices: () => readonly string[], reason?: string): void {
    const isText = typeof value === 'string'
    const message = isText ? messages.choice : value === undefined ? messages.missing : messages.type('string')
    this.add(path, message, () => choiceDetail(value, choices(), isText ? reason : undefined))
  }

  /**
   * Adds a fault for every unknown field. Without this check, a change with a misspelt selector would apply to more agents.
   * `prefix` is the path of the object.
   */
  addUnexpected(object: Readonly<Record<string, unknown>>, expected: readonly string[], prefix = ''): void {
    for (const name of Object.keys(object)) {
      if (!expected.includes(name)) {
        this.add(
          pathOf(prefix, name),
          messages.unexpected,
          expected.length === 0 ? undefined : () => choiceDetail(name, expected),
        )
      }
    }
  }

  throwIfAny(): void {
    if (this.#errors.size > 0) {
      throw validationFail(Object.fromEntries(this.#errors), Object.fromEntries(this.#details))
    }
  }
}

/**
 * Maximum number of faults in one response. Only a generated request has more faults. If the response listed all of them, it
 * would be many times as large as the request.
 */
export const faultsMax = 1_000

/** Number of faults that have a detail. Details can be long, so only the first faults of a response have one. */
export const detailsMax = 10

/** Returns the path of a field: `agent[custom]` for the prefix `agent`, and only the name for an empty prefix. */
const pathOf = (prefix: string, name: string): string => (prefix === '' ? name : `${prefix}[${name}]`)

export const messages = {
  unexpected: 'This field was not expected.',
  missing: 'This field is missing.',
  choice: 'The value you selected is not a valid choice.',
  type: (type: 'string' | 'integer' | 'bool' | 'array' | 'object' | 'number') =>
    `This value should be of type ${type}.`,
} as const

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns true if an optional field is absent. Null counts as absent, because most serialisers write null for an absent value.
 */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** Formats a value for a message: a string unchanged, anything else as JSON. */
export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** True if PostgreSQL and ClickHouse can store the text: it has no control characters and no unpaired surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** Counts characters (code points), not UTF-16 code units. */
export const isLonger = (value: string, charactersMax: number): boolean =>
  value.length > charactersMax && Array.from(value).length > charactersMax

/** Returns the number. If the value is no finite number, returns null and adds a fault. */
export function checkNumber(value: unknown, path: string, faults: FieldFaults): number | null {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  faults.add(path, value === undefined ? messages.missing : messages.type('number'))
  return null
}

/** Returns the one of `names` that the object has. If it has none or several of them, returns null and adds a fault. */
export function onlyOneOf<Name extends string>(
  names: readonly Name[],
  object: Readonly<Record<string, unknown>>,
  path: string,
  faults: FieldFaults,
): Name | null {
  const [given, ...others] = names.filter((name) => !isAbsent(object[name]))
  if (given !== undefined && others.length === 0) return given
  faults.add(path, `This object should have exactly one of: ${names.join(', ')}.`)
  return null
}
