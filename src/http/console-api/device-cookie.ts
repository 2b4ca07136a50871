import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { deviceIdBytes, issueDevice, readDevice } from '../../base/device-cookie.ts'
import { peopleLimits } from '../../base/limits.ts'
import { cookieIn } from './session-cookie.ts'

const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge-device' : 'broadgauge-device')

export const deviceIn = (request: FastifyRequest, isSecure: boolean): string | null =>
  cookieIn(request, nameOf(isSecure))

/** The one the browser has, if it is the person's, else a new one; either lasts anew. */
export function deviceCookie(present: string | null, passwordHash: string, isSecure: boolean): string {
  const isOwn = readDevice(present, passwordHash) !== null
  const value = isOwn ? present : issueDevice(randomBytes(deviceIdBytes), passwordHash)
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${nameOf(isSecure)}=${value}; ${attributes}; Max-Age=${peopleLimits.deviceCookieSeconds}`
}
