import { validationFail } from '../base/fault.ts'
import { JsonTooLargeError, parseJson } from '../base/parse-json.ts'

export const jsonBounds = {
  /**
   * Maximum nesting depth. Valid bodies have fewer than ten levels, and `JSON.stringify` fails at some thousands of levels.
   */
  depthMax: 100,
  /** Maximum number of objects, lists and fields in a JSON body. The largest valid body has 1,000 fields of custom metadata. */
  structuresMax: 10_000,
  /**
   * Maximum number of values in a JSON body. The largest query has 50 filters with 1,000 values each; the rest is for its other
   * fields.
   */
  valuesMax: 60_000,
} as const

/** Parses a body. Throws a 422 if the body is not valid JSON or not valid UTF-8. */
export function checkJson(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), jsonBounds)
  } catch (error) {
    const reason = error instanceof JsonTooLargeError ? error.message : 'This value should be valid JSON.'
    throw validationFail({ body: [reason] })
  }
}
