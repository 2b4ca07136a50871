import { expect, it } from 'vitest'
import { comparable } from '../../src/base/comparable.ts'
import { networkOf } from '../../src/base/network-of.ts'
import { UserFacingError } from '../../src/base/fault.ts'
import { withoutSecrets } from '../../src/base/without-secrets.ts'

it.each(['A-1', '00:11:22', '', 'a\u2013b', 'a\u00a0b'])('compares %j without its punctuation', (text) => {
  expect(comparable(text)).toBe(text)
})

it.each(['aé', 'Ω1', '१', 'e\u0301'])(
  'finds no agent for %j: without its non-ASCII letters it would name another',
  (text) => {
    expect(comparable(text)).toBeNull()
  },
)

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:0002::6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::', 'fe80:0:0:0::/64'],
  ['2001:db8:0:0000:1::', '2001:db8:0:0::/64'],
  ['unknown', 'unknown'],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['', ''],
])('counts attempts from %s for %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

const token = `bg_${'a'.repeat(36)}`

it.each([
  ['postgres://user:secret@host/db', 'postgres://user:***@host/db'],
  [`token ${token} end`, 'token bg_*** end'],
  [`bg_${'a'.repeat(8)}`, 'bg_***'],
  [`bg_${'a'.repeat(7)}`, `bg_${'a'.repeat(7)}`],
  ['https://s3/x?X-Amz-Signature=abc&y=1', 'https://s3/x?X-Amz-Signature=***&y=1'],
  ['x-amz-credential=AK/2026 next', 'x-amz-credential=*** next'],
  ['X-Amz-Security-Token=abc', 'X-Amz-Security-Token=***'],
  ['X-Amz-Date=20260101', 'X-Amz-Date=20260101'],
  ['http://host:8080/path', 'http://host:8080/path'],
])('removes the secret from %s', (text, expected) => {
  expect(withoutSecrets(text)).toBe(expected)
})

it('reports faults under its own name', () => {
  class NoStack extends UserFacingError {}
  expect(new NoStack('start it', 'x')).toMatchObject({ name: 'NoStack', message: 'start it', cause: 'x' })
})
