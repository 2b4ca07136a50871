import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  formatLinkSecret,
  formatToken,
  hasLinkForm,
  hasTokenForm,
  hashToken,
  tokenEntropyBytes,
  visiblePart,
} from '../../src/base/token.ts'

const mint = () => formatToken(randomBytes(tokenEntropyBytes))

it('detects every single-character change of one token, every deletion and every doubled character', () => {
  const token = mint()
  const alphabet = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-']
  const changed = [...token].flatMap((_, at) => [
    ...alphabet.filter((one) => one !== token[at]).map((one) => token.slice(0, at) + one + token.slice(at + 1)),
    token.slice(0, at) + token.slice(at + 1),
    token.slice(0, at) + token.slice(at, at + 1) + token.slice(at),
  ])
  expect(changed.filter(hasTokenForm)).toEqual([])
})

it('is 39 characters: a prefix for scanners, 30 of secret, 6 of checksum', () => {
  expect(mint()).toMatch(/^bg_[0-9A-Za-z]{36}$/)
  expect(formatToken(new Uint8Array(tokenEntropyBytes))).toMatch(/^bg_0{30}[0-9A-Za-z]{6}$/)
})

it('stores 32 bytes of hash, and shows eight characters', () => {
  const token = mint()
  expect(hashToken(token)).toHaveLength(32)
  expect(token.startsWith(visiblePart(token))).toBe(true)
  expect(visiblePart(token)).toHaveLength(8)
})

it('never takes the secret of a link for a token, nor a token for a secret', () => {
  const entropy = randomBytes(tokenEntropyBytes)
  const [token, secret] = [formatToken(entropy), formatLinkSecret(entropy)]
  expect(secret).toMatch(/^bgq_[0-9A-Za-z]{36}$/)
  expect([hasTokenForm(token), hasLinkForm(secret)]).toEqual([true, true])
  expect([hasTokenForm(secret), hasLinkForm(token)]).toEqual([false, false])
  expect(hasLinkForm(`${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`)).toBe(false)
})
