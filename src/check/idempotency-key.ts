import { validationFail } from '../base/fault.ts'

/** The caller's key, and the request that was sent with it. The same key with a different request is an error. */
export type IdempotencyKey = { key: string; requestText: string }

/**
 * Returns the key of a request, or null if there is none. Some endpoints share their keys. For these, pass `path`: the same
 * key on another endpoint then counts as another request. No JSON text begins like a path, so the two parts of `requestText`
 * cannot be confused.
 */
export function checkIdempotencyKey(header: unknown, body: unknown, path = ''): IdempotencyKey | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[!-~]{1,255}$/.test(header)) {
    throw validationFail({ 'Idempotency-Key': ['This value should be 1 to 255 visible ASCII characters.'] })
  }
  // `JSON.stringify` returns undefined for a missing body.
  return { key: header, requestText: `${path}${body === undefined ? '' : JSON.stringify(body)}` }
}
