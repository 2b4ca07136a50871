import { expect, it } from 'vitest'
import { hashPassword, isPassword, unusedHash } from '../../src/base/password.ts'
import {
  formatToken,
  hashSecret,
  hashToken,
  hasSecretForm,
  hasTokenForm,
  sameHash,
  sessionSecretBytes,
  sessionToken,
  tokenEntropyBytes,
} from '../../src/base/token.ts'

const salt = Uint8Array.from({ length: 16 }, (_, index) => index)

it('hashes a password in the standard format, and verifies it', async () => {
  const stored = await hashPassword('correct horse', salt)
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$AAECAwQFBgcICQoLDA0ODw\$[A-Za-z0-9+/]{43}$/)
  expect(await isPassword('correct horse', stored)).toBe(true)
  expect(await isPassword('correct horsE', stored)).toBe(false)
})

it('accepts a password in another Unicode normalisation form', async () => {
  const stored = await hashPassword('caf\u00e9', salt)
  expect(await isPassword('cafe\u0301', stored)).toBe(true)
})

it('reads the cost from the stored hash: 64 KiB and two passes', async () => {
  const stored = '$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ$FqGkmHNGCd0BRW2kBt6fPZ2pPmyGwwChL8FGUhTOSSI'
  expect(await isPassword('password', stored)).toBe(true)
  expect(await isPassword('password', stored.replace('t=2', 't=3'))).toBe(false)
  expect(await isPassword('password', stored.replace('m=64', 'm=65'))).toBe(false)
  expect(await isPassword('password', stored.slice(0, -4))).toBe(false)
})

it('accepts no password for an unknown user, and refuses a hash in another format', async () => {
  expect(await isPassword('', unusedHash)).toBe(false)
  await expect(isPassword('x', '$2b$10$abc')).rejects.toThrow('a stored password is in no form we know')
})

it('recognises the format of a session’s secret', () => {
  expect(sessionSecretBytes).toBe(32)
  expect(hasSecretForm('aZ09_-'.repeat(7) + 'x')).toBe(true)
  expect(hasSecretForm('a'.repeat(42))).toBe(false)
  expect(hasSecretForm('a'.repeat(44))).toBe(false)
  expect(hasSecretForm(`${'a'.repeat(42)}=`)).toBe(false)
})

it('stores the SHA-256 of a secret', () => {
  expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(hashToken('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

it('derives one token for each session, and a different one for another', () => {
  const secret = 'a'.repeat(43)
  expect(hasTokenForm(sessionToken(secret))).toBe(true)
  expect(sessionToken(secret)).toBe('bg_kqIOko4fZ2JFH9rycNCzEVBpNWC3GD2G9rxO')
  expect(sessionToken(secret)).not.toBe(sessionToken('b'.repeat(43)))
})

it('compares hashes, also of different lengths', () => {
  const [one, other] = [hashToken('one'), hashToken('other')]
  expect(sameHash(one, hashToken('one'))).toBe(true)
  expect(sameHash(one, other)).toBe(false)
  expect(sameHash(one, one.subarray(1))).toBe(false)
})

it('makes no token from too little randomness', () => {
  expect(() => formatToken(new Uint8Array(31))).toThrow('a token takes 32 random bytes')
  expect(() => formatToken(new Uint8Array(tokenEntropyBytes))).not.toThrow()
})

/**
 * These encodings must never change. If the alphabet or the checksum changed, every existing token would be invalid.
 */
it.each([
  [0, 'bg_0000000000000000000000000000002C8GjS'],
  [7, 'bg_9KSulA8Ghct30vZz4HpdQ5c5b9cPF12rg3g8'],
  [255, 'bg_L1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13ognN7'],
])('always encodes 32 bytes of %d as the same token', (byte, token) => {
  expect(formatToken(new Uint8Array(tokenEntropyBytes).fill(byte))).toBe(token)
})
