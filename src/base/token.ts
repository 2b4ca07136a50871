import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * `bg_` + 30 base-62 characters (178 bits) + 6 characters of checksum. The prefix lets secret scanners find a leaked
 * token; the checksum lets the service refuse a mistyped one without asking the database.
 */
const prefix = 'bg_'
const secretLength = 30
const checksumLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^bg_[0-9A-Za-z]{36}$/

/** Random bytes one token takes: 256 bits folded into 178, so no character is measurably more likely. */
export const tokenEntropyBytes = 32

export function formatToken(entropy: Uint8Array): string {
  if (entropy.length !== tokenEntropyBytes) throw new RangeError(`a token takes ${tokenEntropyBytes} random bytes`)
  const secret = base62(BigInt(`0x${Buffer.from(entropy).toString('hex')}`), secretLength)
  return prefix + secret + checksum(secret)
}

/** CRC-32 notices every change of up to four neighbouring bytes, so no single-character typo passes. */
export function hasTokenForm(text: string): boolean {
  if (!form.test(text)) return false
  const secret = text.slice(prefix.length, prefix.length + secretLength)
  return text.endsWith(checksum(secret))
}

/** What is stored. A fast hash is enough: the secret is 178 random bits, not a password. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

export const sameHash = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other)

/** Enough for a person to tell tokens apart in a list, far too little to use. */
export const visiblePart = (token: string): string => token.slice(0, 8)

/** In plain numbers, which 32 bits fit: this runs for every request. */
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

/** What a session's cookie holds; 256 random bits, written for an address. */
export const sessionSecretBytes = 32
const sessionSecretForm = /^[A-Za-z0-9_-]{43}$/

export const hasSecretForm = (text: string): boolean => sessionSecretForm.test(text)

export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/**
 * The token of a session follows from its secret, and not the other way round: every tab gets the same one, nothing that
 * could be used is stored, and a token that leaks does not give the session away.
 */
export const sessionToken = (secret: string): string =>
  formatToken(createHmac('sha256', secret).update('token of the session').digest())
