import type { FastifyRequest } from 'fastify'

/** For the way to another sign-in and back. Not `Strict`: the browser comes back from another site. */
const cookie = (value: string, isSecure: boolean, seconds: number): string =>
  `${nameOf(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`

const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge-sign-in' : 'broadgauge-sign-in')

/** Long enough to find the other password, and the telephone. */
const memorySeconds = 600

/** With the provider's key before it: whoever has left by one sign-in cannot be led back by another (RFC 9700, 4.4). */
export const memoryCookie = (provider: string, memory: string | null, isSecure: boolean): string =>
  memory === null ? cookie('', isSecure, 0) : cookie(`${provider}.${memory}`, isSecure, memorySeconds)

/** What was to be remembered for this provider. */
export function memoryIn({ headers }: FastifyRequest, provider: string, isSecure: boolean): string | null {
  const found = new RegExp(`(?:^|; )${nameOf(isSecure)}=([a-z0-9-]+)\\.([\\w.-]{1,512})(?:;|$)`).exec(
    headers.cookie ?? '',
  )
  return found?.[1] === provider ? (found[2] ?? null) : null
}
