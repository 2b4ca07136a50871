import { validationFail, type FieldDetail } from '../base/fault.ts'
import { choiceDetail } from './choices.ts'

/** Collects what is wrong with a request, so that it is answered all at once. */
export class FieldFaults {
  /** No plain object: a field that is called `constructor` would be found on it. */
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

  /** A value that is none of the choices, or not even text, or missing. `choices` is asked only when it will be shown. */
  addChoice(path: string, value: unknown, choices: () => readonly string[], reason?: string): void {
    const isText = typeof value === 'string'
    const message = isText ? messages.choice : value === undefined ? messages.missing : messages.type('string')
    this.add(path, message, () => choiceDetail(value, choices(), isText ? reason : undefined))
  }

  /** Fields nobody expects: a misspelt selector must never widen a change. `prefix` is where the object stands. */
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

/** Whoever has more has not made them one by one; an answer that names them all would be many times the request. */
export const faultsMax = 1_000

/** Details can be long; whoever has more faults corrects these first. */
export const detailsMax = 10

/** `agent` + `custom` → `agent[custom]`; at the top just the name. */
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

/** Of an optional field: most serialisers write what is absent as null. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** A value in a message: as it was sent, a non-string by its JSON text. */
export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Text both stores can hold: no control characters, no half of a surrogate pair. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** By characters, not by halves of surrogate pairs. */
export const isLonger = (value: string, charactersMax: number): boolean =>
  value.length > charactersMax && Array.from(value).length > charactersMax
