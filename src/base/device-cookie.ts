import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A device cookie as OWASP describes it. A browser with this cookie has signed in as this user before, so its failed sign-ins
 * are counted separately from those of unknown browsers. The cookie contains a random id and the MAC of that id, with the
 * stored password hash as the key. Therefore the cookie belongs to one user, becomes invalid when the password changes, and
 * needs no storage. It reveals nothing about the password: the hash contains a random salt and never leaves the service.
 */
export const deviceIdBytes = 16
const form = /^([\w-]{22})\.([\w-]{43})$/

const macOf = (id: string, passwordHash: string): Buffer =>
  createHmac('sha256', passwordHash).update(`device cookie ${id}`).digest()

export function issueDevice(idBytes: Buffer, passwordHash: string): string {
  const id = idBytes.toString('base64url')
  return `${id}.${macOf(id, passwordHash).toString('base64url')}`
}

/** Returns the device id if the cookie was issued under this password hash, else null. */
export function readDevice(cookie: string | null, passwordHash: string): string | null {
  const [, id = '', mac = ''] = form.exec(cookie ?? '') ?? []
  const expected = macOf(id, passwordHash)
  const given = Buffer.from(mac, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
}
