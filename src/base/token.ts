import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * A token is `bg_`, 30 base-62 characters (178 bits) and a checksum of 6 characters; the secret of a share link begins with
 * `bgq_`. The prefix lets secret scanners find a leaked secret. With the checksum, the service refuses a mistyped secret
 * without a database query.
 */
const [tokenPrefix, linkPrefix] = ['bg_', 'bgq_'] as const
const secretLength = 30
const checksumLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const tail = /^[0-9A-Za-z]{36}$/

/**
 * Number of random bytes for one token. The 256 random bits are far more than the 178 bits of a token, so that no character is
 * measurably more likely than another.
 */
export const tokenEntropyBytes = 32

export const formatToken = (entropy: Uint8Array): string => format(tokenPrefix, entropy)

export const formatLinkSecret = (entropy: Uint8Array): string => format(linkPrefix, entropy)

function format(prefix: string, entropy: Uint8Array): string {
  if (entropy.length !== tokenEntropyBytes) throw new RangeError(`a token takes ${tokenEntropyBytes} random bytes`)
  const secret = base62(BigInt(`0x${Buffer.from(entropy).toString('hex')}`), secretLength)
  return prefix + secret + checksum(secret)
}

/**
 * Returns false for a text that cannot be a token. CRC-32 detects every change of up to four neighbouring bytes, so no
 * single-character typo passes.
 */
export const hasTokenForm = (text: string): boolean => hasForm(tokenPrefix, text)

export const hasLinkForm = (text: string): boolean => hasForm(linkPrefix, text)

function hasForm(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || !tail.test(text.slice(prefix.length))) return false
  const secret = text.slice(prefix.length, prefix.length + secretLength)
  return text.endsWith(checksum(secret))
}

/**
 * The form in which a token or the secret of a link is stored. A fast hash is enough, because the secret is 178 random bits and
 * not a password.
 */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

export const sameHash = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other)

/** The part of a token that lists show. It is enough to distinguish tokens, and far too little to guess the rest. */
export const visiblePart = (token: string): string => token.slice(0, 8)

/** Uses numbers instead of BigInt: numbers can hold 32 bits and are faster, and this function runs for every request. */
function checksum(secret: string): string {
  let text = ''
  for (let rest = crc32(secret); text.length < checksumLength; rest = Math.floor(rest / 62))
    text = alphabet[rest % 62] + text
  return text
}

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n) text = alphabet[Number(rest % 62n)] + text
  return text
}

/** Length of the secret in the session cookie: 256 random bits, sent as base64url. */
export const sessionSecretBytes = 32
const sessionSecretForm = /^[A-Za-z0-9_-]{43}$/

export const hasSecretForm = (text: string): boolean => sessionSecretForm.test(text)

export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/**
 * Derives the API token of a session from the session's secret with a one-way function. Every browser tab gets the same token,
 * the service stores nothing that an attacker could use, and a leaked token does not reveal the secret.
 */
export const sessionToken = (secret: string): string =>
  formatToken(createHmac('sha256', secret).update('token of the session').digest())
