import { createHmac, hash } from 'node:crypto'
import { formatToken } from './token.ts'

/** What a session's cookie holds; 256 random bits, written for an address. */
export const sessionSecretBytes = 32
const form = /^[A-Za-z0-9_-]{43}$/

export const hasSecretForm = (text: string): boolean => form.test(text)

export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/**
 * The token of a session follows from its secret, and not the other way round: every tab gets the same one, nothing that
 * could be used is stored, and a token that leaks does not give the session away.
 */
export const sessionToken = (secret: string): string =>
  formatToken(createHmac('sha256', secret).update('token of the session').digest())
