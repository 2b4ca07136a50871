import type { FastifyRequest } from 'fastify'

/** For the way to another sign-in and back. Not `Strict`: the browser comes back from another site. */
const cookie = (value: string, isSecure: boolean, seconds: number): string =>
  `${nameOf(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`

const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge-sign-in' : 'broadgauge-sign-in')

/** Long enough to find the other password, and the telephone. */
const memorySeconds = 600

export const memoryCookie = (memory: string | null, isSecure: boolean): string =>
  memory === null ? cookie('', isSecure, 0) : cookie(memory, isSecure, memorySeconds)

export function memoryIn({ headers }: FastifyRequest, isSecure: boolean): string | null {
  const found = new RegExp(`(?:^|; )${nameOf(isSecure)}=([\\w.-]{1,512})(?:;|$)`).exec(headers.cookie ?? '')
  return found?.[1] ?? null
}
