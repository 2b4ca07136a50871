import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import {
  dayNumber,
  dropWhole,
  firstKeptDay,
  keepFor,
  keepForEver,
  keptByDay,
  keptBySecond,
  keptFor,
} from '../../../src/compile/metric/retention.ts'
import { shown } from '../shown.ts'

const dns = { table: 'dns', column: 'dtime', days: 90 }

it('is a line of a new table, or none', () => {
  expect(shown(keptFor('dtime', 90))).toBe('TTL toDateTime(dtime) + toIntervalDay(90)\n')
  expect(shown(keptFor('dtime', null))).toBe('')
})

it('can be changed and removed', () => {
  expect(shown(keepFor('bg', dns, 30))).toBe('ALTER TABLE bg.dns MODIFY TTL toDateTime(dtime) + toIntervalDay(30)')
  expect(shown(keepForEver('bg', 'dns'))).toBe('ALTER TABLE bg.dns REMOVE TTL')
})

it('drops whole parts', () => {
  expect(shown(dropWhole('bg', 'dns'))).toBe('ALTER TABLE bg.dns MODIFY SETTING ttl_only_drop_parts = 1')
})

it.each([
  ['1970-01-01T00:00:00Z', 0],
  ['1970-01-01T23:59:59.999Z', 0],
  ['1970-01-02T00:00:00Z', 1],
  ['1969-12-31T23:59:59Z', -1],
  ['2026-01-01T12:00:00Z', 20_454],
])('counts the day of %s from 1970: %d', (at, day) => {
  expect(dayNumber(Temporal.Instant.from(at))).toBe(day)
})

it.each([
  [null, 20_454, 0],
  [90, 20_454, 20_366],
  [2, 20_454, 20_454],
  [20_456, 20_454, 0],
  [20_457, 20_454, 0],
  [20_455, 20_454, 1],
])('with results kept for %s days answers on day %d from day %d on', (keepDays, today, first) => {
  expect(firstKeptDay(keepDays, today)).toBe(first)
})

it('excludes days that are no longer complete, by ClickHouse’s clock', () => {
  expect(keptByDay(90, sql`toDate(dtime)`).map(shown)).toEqual(["toDate(dtime) >= toDate(now('UTC')) - 88"])
  expect(keptBySecond(90, sql`local_second`).map(shown)).toEqual([
    "local_second >= 86400 * toInt64(toDate(now('UTC')) - 88)",
  ])
})

it('excludes nothing without retention', () => {
  expect(keptByDay(undefined, sql`day`)).toEqual([])
  expect(keptBySecond(undefined, sql`second`)).toEqual([])
})

it('accepts whole days only', () => {
  expect(() => keptFor('dtime', 1.5)).toThrow('not a whole number: 1.5')
})
