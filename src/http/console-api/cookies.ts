import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { hashSecret, hasSecretForm } from '../../base/token.ts'
import { deviceIdBytes, issueDevice, readDevice } from '../../base/device-cookie.ts'
import { peopleLimits } from '../../base/limits.ts'

/** Browsers accept a `__Host-` cookie only over HTTPS, and only from the host that it is for. */
const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge' : 'broadgauge')

/**
 * Scripts cannot read this cookie, and other sites cannot make a browser send it. It has no expiry: the browser deletes it
 * when the user closes the browser.
 */
const cookie = (value: string, isSecure: boolean, more = ''): string =>
  `${nameOf(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${more}`

export const sessionCookie = (secret: string, isSecure: boolean): string => cookie(secret, isSecure)

export const noCookie = (isSecure: boolean): string => cookie('', isSecure, '; Max-Age=0')

export function secretIn(request: FastifyRequest, isSecure: boolean): string | null {
  const value = cookieIn(request, nameOf(isSecure))
  return value !== null && hasSecretForm(value) ? value : null
}

function cookieIn({ headers }: FastifyRequest, name: string): string | null {
  const start = `${name}=`
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
  // A browser sends two cookies with the same name only if an attacker has planted one. Accept neither.
  return values.length === 1 ? (values[0] ?? null) : null
}

export function secretHashIn(request: FastifyRequest, isSecure: boolean): Buffer | null {
  const secret = secretIn(request, isSecure)
  return secret === null ? null : hashSecret(secret)
}

const deviceCookieNameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge-device' : 'broadgauge-device')

export const deviceIn = (request: FastifyRequest, isSecure: boolean): string | null =>
  cookieIn(request, deviceCookieNameOf(isSecure))

/**
 * The cookie with the browser's device id. If the present id does not belong to this person, the cookie contains a new id. In
 * both cases, the lifetime of the cookie starts again.
 */
export function deviceCookie(present: string | null, passwordHash: string, isSecure: boolean): string {
  const isOwn = readDevice(present, passwordHash) !== null
  const value = isOwn ? present : issueDevice(randomBytes(deviceIdBytes), passwordHash)
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${deviceCookieNameOf(isSecure)}=${value}; ${attributes}; Max-Age=${peopleLimits.deviceCookieSeconds}`
}
