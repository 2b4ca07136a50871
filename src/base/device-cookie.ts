import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A device cookie, as OWASP describes it: a browser that has it has been signed in as the person before, and its attempts
 * are counted apart from those of strangers. It is a random id and the id's MAC under the stored password hash. So it is
 * bound to one person, ends with the password, and nothing has to be stored; without the hash, which holds a random salt,
 * it says nothing about the password.
 */
export const deviceIdBytes = 16
const form = /^([\w-]{22})\.([\w-]{43})$/

const macOf = (id: string, passwordHash: string): Buffer =>
  createHmac('sha256', passwordHash).update(`device cookie ${id}`).digest()

export function issueDevice(idBytes: Buffer, passwordHash: string): string {
  const id = idBytes.toString('base64url')
  return `${id}.${macOf(id, passwordHash).toString('base64url')}`
}

/** The id of the device if the cookie was issued under this password hash, else null. */
export function readDevice(cookie: string | null, passwordHash: string): string | null {
  const [, id = '', mac = ''] = form.exec(cookie ?? '') ?? []
  const expected = macOf(id, passwordHash)
  const given = Buffer.from(mac, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
}
