import { expect, it } from 'vitest'
import { chooseEncoding, isAccepted } from '../../../src/http/connection/content-encoding.ts'

it.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0.5, gzip;q=0.8, identity;q=0.9', null],
  ['br;q=1, gzip;q=0', 'br'],
  ['*', 'zstd'],
  ['*;q=0.5, zstd;q=0', 'br'],
  ['gzip;q=0', null],
  ['gzip ; q=0.3', 'gzip'],
  ['gzip;q=nonsense', null],
  ['deflate', null],
  ['constructor', null],
  ['__proto__, toString', null],
])('answers Accept-Encoding %j with %j', (header, name) => {
  expect(chooseEncoding(header)?.name ?? null).toBe(name)
})

it.each([
  ['gzip, br', true],
  ['br;q=1, GZIP;q=0.2', true],
  ['gzip;q=0', false],
  ['br', false],
  ['', false],
])('decides whether %j accepts gzip', (header, expected) => {
  expect(isAccepted(header, 'gzip')).toBe(expected)
})
