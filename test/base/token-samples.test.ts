import { randomBytes, randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { formatToken, hasTokenForm, tokenEntropyBytes } from '../../src/base/token.ts'

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

it('detects each of many single-character typos without a lookup', { timeout: 120_000 }, () => {
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

it('uses every character of the alphabet at every position about equally often', () => {
  const counts = new Map<string, number>()
  for (let index = 0; index < 62_000; index += 1) {
    const [first = ''] = mint().slice(3)
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  expect(counts.size).toBe(62)
  // Each count is expected to be 1,000. A difference of 200 is more than six standard deviations.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200)
})
