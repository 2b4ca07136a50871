import { validationFail } from '../base/fault.ts'

/** A caller's name for one request, and what that request said: the same name with other words is a mistake. */
export type IdempotencyKey = { key: string; requestText: string }

/** `path`, where several share keys: the same key on another endpoint is another request. No body's text begins like one. */
export function checkIdempotencyKey(header: unknown, body: unknown, path = ''): IdempotencyKey | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[!-~]{1,255}$/.test(header)) {
    throw validationFail({ 'Idempotency-Key': ['This value should be 1 to 255 visible ASCII characters.'] })
  }
  // Nothing at all has no text in JSON.
  return { key: header, requestText: `${path}${body === undefined ? '' : JSON.stringify(body)}` }
}
