import { randomBytes, randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { formatToken, hasTokenForm, hashToken, tokenEntropyBytes, visiblePart } from '../../src/base/token.ts'

const mint = () => formatToken(randomBytes(tokenEntropyBytes))
const many = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 1_000_000 : 100_000

it('makes many tokens without a collision, all well-formed', { timeout: 120_000 }, () => {
  const seen = new Set<string>()
  for (let index = 0; index < many; index += 1) seen.add(mint())
  expect(seen.size).toBe(many)
  let malformed = 0
  for (const token of seen) if (!hasTokenForm(token)) malformed += 1
  expect(malformed).toBe(0)
})

it('recognises each of many single-character typos without a look-up', { timeout: 120_000 }, () => {
  const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
  let passed = 0
  for (let index = 0; index < many; index += 1) {
    const token = mint()
    const at = randomInt(token.length)
    let character = characters[randomInt(95)]
    while (character === token[at]) character = characters[randomInt(95)]
    if (hasTokenForm(token.slice(0, at) + character + token.slice(at + 1))) passed += 1
  }
  expect(passed).toBe(0)
})

it('recognises every single-character change of one token, every deletion and every doubled character', () => {
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

it('uses every character of the alphabet at every place about equally often', () => {
  const counts = new Map<string, number>()
  for (let index = 0; index < 62_000; index += 1) {
    const [first = ''] = mint().slice(3)
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  expect(counts.size).toBe(62)
  // 1,000 expected of each; 200 is more than six standard deviations.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200)
})

it('stores 32 bytes of hash, and shows eight characters', () => {
  const token = mint()
  expect(hashToken(token)).toHaveLength(32)
  expect(token.startsWith(visiblePart(token))).toBe(true)
  expect(visiblePart(token)).toHaveLength(8)
})
