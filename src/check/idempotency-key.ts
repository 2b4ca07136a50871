import { validationFail } from '../base/fault.ts'

/** A caller's name for one request, and what that request said: the same name with other words is a mistake. */
export type IdempotencyKey = { key: string; requestText: string }

export function checkIdempotencyKey(header: unknown, body: unknown): IdempotencyKey | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[!-~]{1,255}$/.test(header)) {
    throw validationFail({ 'Idempotency-Key': ['This value should be 1 to 255 visible ASCII characters.'] })
  }
  // Nothing at all has no text in JSON.
  return { key: header, requestText: body === undefined ? '' : JSON.stringify(body) }
}
