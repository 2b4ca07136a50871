import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { hashSecret, hasSecretForm } from '../../base/token.ts'
import { deviceIdBytes, issueDevice, readDevice } from '../../base/device-cookie.ts'
import { peopleLimits } from '../../base/limits.ts'

/** Over HTTPS its name makes browsers refuse it from anywhere but this very host; over plain HTTP they would not take that name. */
const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge' : 'broadgauge')

/** Scripts cannot read it, and no other site can make a browser send it. It ends with the browser, or with the session. */
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
  // Two can only come from somebody who has set one of them for us.
  return values.length === 1 ? (values[0] ?? null) : null
}

export function secretHashIn(request: FastifyRequest, isSecure: boolean): Buffer | null {
  const secret = secretIn(request, isSecure)
  return secret === null ? null : hashSecret(secret)
}

const deviceCookieNameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge-device' : 'broadgauge-device')

export const deviceIn = (request: FastifyRequest, isSecure: boolean): string | null =>
  cookieIn(request, deviceCookieNameOf(isSecure))

/** The one the browser has, if it is the person's, else a new one; either lasts anew. */
export function deviceCookie(present: string | null, passwordHash: string, isSecure: boolean): string {
  const isOwn = readDevice(present, passwordHash) !== null
  const value = isOwn ? present : issueDevice(randomBytes(deviceIdBytes), passwordHash)
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${deviceCookieNameOf(isSecure)}=${value}; ${attributes}; Max-Age=${peopleLimits.deviceCookieSeconds}`
}
