import { validationFail } from '../base/fault.ts'
import { JsonTooLargeError, parseJson } from '../base/parse-json.ts'

export const jsonBounds = {
  /** No valid body has ten brackets within brackets; `JSON.stringify` fails at some thousands. */
  depthMax: 100,
  /** Custom metadata has at most 1,000 fields. */
  structuresMax: 10_000,
  /** A query has at most 50 filters of 1,000 values. */
  valuesMax: 60_000,
} as const

/** A body's bytes as JSON, or one 422; also when they are not UTF-8. */
export function checkJson(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), jsonBounds)
  } catch (error) {
    const reason = error instanceof JsonTooLargeError ? error.message : 'This value should be valid JSON.'
    throw validationFail({ body: [reason] })
  }
}
