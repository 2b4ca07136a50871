import { expect, it } from 'vitest'
import { parseAgentLocal } from '../../../src/check/metric/agent-local-time.ts'

const now = Temporal.Instant.from('2026-03-29T12:34:56.789Z')

const secondOf = (utc: string): number => Temporal.Instant.from(utc).epochMilliseconds / 1000

it('takes a day as its first second in `from`, and its last second in `to`', () => {
  expect(parseAgentLocal('2026-02-28', now, 'from')).toBe(secondOf('2026-02-28T00:00:00Z'))
  expect(parseAgentLocal('2026-02-28', now, 'to')).toBe(secondOf('2026-02-28T23:59:59Z'))
  expect(parseAgentLocal('0001-01-01', now, 'from')).toBe(secondOf('0001-01-01T00:00:00Z'))
  expect(parseAgentLocal('9999-12-31', now, 'to')).toBe(secondOf('9999-12-31T23:59:59Z'))
})

it.each<[string | number, string]>([
  ['2026-03-01T10:20Z', '2026-03-01T10:20:00Z'],
  ['2026-03-01T10:20:30Z', '2026-03-01T10:20:30Z'],
  ['2026-03-01T10:20:30.999Z', '2026-03-01T10:20:30Z'],
  ['2026-03-01T23:59:59.999999999Z', '2026-03-01T23:59:59Z'],
  ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
  [1_772_360_430_000, '2026-03-01T10:20:30Z'],
  [1_772_360_430_999, '2026-03-01T10:20:30Z'],
  ['1772360430999', '2026-03-01T10:20:30Z'],
  [0, '1970-01-01T00:00:00Z'],
  ['0', '1970-01-01T00:00:00Z'],
  [-1, '1969-12-31T23:59:59Z'],
  [-62_135_596_800_000, '0001-01-01T00:00:00Z'],
  [253_402_300_799_999, '9999-12-31T23:59:59Z'],
])('reads %j as the same clock time of every agent, in either end of a range', (value, utc) => {
  expect(parseAgentLocal(value, now, 'from')).toBe(secondOf(utc))
  expect(parseAgentLocal(value, now, 'to')).toBe(secondOf(utc))
})

it.each<[string | number]>([
  ['2026-02-29'],
  ['2026-13-01'],
  ['2026-1-1'],
  ['20260101T000000Z'],
  ['0000-01-01'],
  ['2026-01-01 '],
  ['2026-01-01Z'],
  ['2026-02-29T10:00Z'],
  ['2026-01-01T24:00Z'],
  ['2026-01-01T10:60Z'],
  ['2026-01-01T10:00:60Z'],
  ['2026-01-01T10:00.5Z'],
  ['2026-01-01T10:00:00.Z'],
  ['2026-01-01T10:00:00.0000000001Z'],
  ['2026-01-01T10:00:00'],
  ['2026-01-01T10:00:00+00:00'],
  ['2026-01-01t10:00:00z'],
  ['2026-01-01 10:00:00Z'],
  ['0000-01-01T00:00Z'],
  ['-1'],
  ['1.5'],
  ['1e3'],
  ['253402300800000'],
  ['1234567890123456'],
  [1.5],
  [-62_135_596_800_001],
  [253_402_300_800_000],
  [9_007_199_254_740_991],
  [Number.POSITIVE_INFINITY],
  [Number.NaN],
])('refuses %j', (value) => {
  expect(parseAgentLocal(value, now, 'from')).toBeNull()
})
