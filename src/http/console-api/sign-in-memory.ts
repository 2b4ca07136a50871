import type { FastifyRequest } from 'fastify'

/**
 * The cookie keeps the state of a sign-in while the browser is at the identity provider. It is not `SameSite=Strict`: the
 * browser returns from another site.
 */
const cookie = (value: string, isSecure: boolean, seconds: number): string =>
  `${nameOf(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`

const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-broadgauge-sign-in' : 'broadgauge-sign-in')

/** Lifetime of the cookie: long enough to enter a password and a second factor. */
const memorySeconds = 600

export type Memory = {
  /** State that the provider's function `complete` needs. */
  readonly memory: string
  /**
   * Hash of the former session's secret. It is kept here because the browser does not send its `Strict` session cookie when it
   * returns from another site.
   */
  readonly formerHash: Buffer | null
}

/**
 * The cookie starts with the provider's key, so that another provider cannot complete the sign-in (mix-up attack, RFC 9700,
 * 4.4).
 */
export function memoryCookie(provider: string, { memory, formerHash }: Memory, isSecure: boolean): string {
  const former = formerHash === null ? '' : `.former-${formerHash.toString('base64url')}`
  return cookie(`${provider}.${memory}${former}`, isSecure, memorySeconds)
}

export const noMemory = (isSecure: boolean): string => cookie('', isSecure, 0)

/** Null if the browser began no sign-in, or began it with another provider. */
export function memoryIn({ headers }: FastifyRequest, provider: string, isSecure: boolean): Memory | null {
  const start = `(?:^|; )${nameOf(isSecure)}=`
  const value = '([a-z0-9-]+)\\.([\\w.-]{1,512}?)(?:\\.former-([\\w-]{43}))?'
  const [, key, memory = '', former] = new RegExp(`${start}${value}(?:;|$)`).exec(headers.cookie ?? '') ?? []
  if (key !== provider) return null
  return { memory, formerHash: former === undefined ? null : Buffer.from(former, 'base64url') }
}
