import type { FastifyRequest } from 'fastify'

/** For the way to another sign-in and back. Not `Strict`: the browser comes back from another site. */
const cookie = (value: string, isSecure: boolean, seconds: number): string =>
  `${nameOf(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`

const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge-sign-in' : 'broadgauge-sign-in')

/** Long enough to find the other password, and the telephone. */
const memorySeconds = 600

export type Memory = {
  /** What the provider wants to have again. */
  readonly memory: string
  /** Of the session the browser had: its own cookie is strict, and does not come back from another site. */
  readonly formerHash: Buffer | null
}

/** With the provider's key before it: whoever has left by one sign-in cannot be led back by another (RFC 9700, 4.4). */
export function memoryCookie(provider: string, { memory, formerHash }: Memory, isSecure: boolean): string {
  const former = formerHash === null ? '' : `.former-${formerHash.toString('base64url')}`
  return cookie(`${provider}.${memory}${former}`, isSecure, memorySeconds)
}

export const noMemory = (isSecure: boolean): string => cookie('', isSecure, 0)

/** What was to be remembered for this provider. */
export function memoryIn({ headers }: FastifyRequest, provider: string, isSecure: boolean): Memory | null {
  const start = `(?:^|; )${nameOf(isSecure)}=`
  const value = '([a-z0-9-]+)\\.([\\w.-]{1,512}?)(?:\\.former-([\\w-]{43}))?'
  const [, key, memory = '', former] = new RegExp(`${start}${value}(?:;|$)`).exec(headers.cookie ?? '') ?? []
  if (key !== provider) return null
  return { memory, formerHash: former === undefined ? null : Buffer.from(former, 'base64url') }
}
