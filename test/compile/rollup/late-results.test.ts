import { expect, it } from 'vitest'
import {
  buildQueryPrefix,
  findAnyResult,
  findStoredSince,
  findRowsOfBuild,
  findUnrecordedDays,
  isOfBuilds,
  readEngineClock,
  removeBuilds,
  stopBuilds,
} from '../../../src/compile/rollup/late-results.ts'
import { planOf, testOf } from '../plans.ts'
import { shown } from '../shown.ts'

const build = { build: 77, test: testOf('dns'), panel: 3, days: { first: 10, last: 12 }, keepDays: null }
const since = '2026-01-02 03:04:05.678'

it('reads ClickHouse’s clock in UTC, to the millisecond', () => {
  expect(shown(readEngineClock)).toBe("SELECT toString(now64(3, 'UTC')) AS now")
})

it('finds by panel and day what was stored after a time, or ever', () => {
  expect(shown(findStoredSince('bg', 'dns', since)))
    .toBe(`SELECT panel, toString(toDate(dtime)) AS day, toString(max(ingested_at)) AS latest
FROM bg.dns
WHERE ingested_at >= toDateTime64({"${since}":String}, 3, 'UTC')
GROUP BY panel, toDate(dtime)`)
  expect(shown(findStoredSince('bg', 'dns', null))).toContain('\nFROM bg.dns\nGROUP BY panel, toDate(dtime)')
})

it('finds late results of a query’s panels, a UTC day more on each side; all if the clock was set back', () => {
  const text = shown(findUnrecordedDays('bg', planOf(), { first: 10, last: 12 }, since))
  const at = `toDateTime64({"${since}":String}, 3, 'UTC')`
  expect(text).toBe(`SELECT DISTINCT toUInt16(toDate(dtime)) AS day
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN toDate({9:UInt16}) AND toDate({13:UInt16})
  AND ingested_at >= if(now64(3, 'UTC') < addMilliseconds(${at}, 450000), toDateTime64(0, 3, 'UTC'), ${at})`)
})

it('reads no day before 1970', () => {
  const days = { first: 0, last: 0 }
  expect(shown(findUnrecordedDays('bg', planOf(), days, since))).toContain(
    'BETWEEN toDate({0:UInt16}) AND toDate({1:UInt16})',
  )
  expect(shown(findAnyResult('bg', { ...build, days }))).toContain('BETWEEN toDate({0:UInt16}) AND toDate({1:UInt16})')
})

it('counts whether there are results to aggregate', () => {
  expect(shown(findAnyResult('bg', build))).toBe(`SELECT count() AS found FROM bg.dns
WHERE panel = {3:UInt32}
  AND toDate(dtime) BETWEEN toDate({9:UInt16}) AND toDate({13:UInt16})
HAVING found > 0`)
})

it('finds rollup rows with the number of a build, of any panel', () => {
  expect(shown(findRowsOfBuild('bg', build))).toBe(`SELECT count() AS found FROM bg.metric_rollup
WHERE day BETWEEN toDate({10:UInt16}) AND toDate({12:UInt16}) AND build = {77:UInt64}
HAVING found > 0`)
})

it.each([
  [true, 'metric_rollup'],
  [false, 'metric_rollup_shard'],
])('removes builds on the nodes that hold the rows, and waits (single node: %s)', (isSingle, table) => {
  expect(shown(removeBuilds('bg', isSingle, [4, 5]))).toBe(
    `ALTER TABLE bg.${table} DELETE WHERE build IN (4, 5)\nSETTINGS mutations_sync = 2`,
  )
})

it('matches no build for an empty list', () => {
  expect(shown(isOfBuilds([]))).toBe('false')
  expect(shown(isOfBuilds([9]))).toBe('build IN (9)')
})

it('stops the statements of builds of this database, and no others', () => {
  expect(buildQueryPrefix('bg')).toBe('rollup-bg-')
  expect(shown(stopBuilds('bg'))).toBe("KILL QUERY WHERE startsWith(initial_query_id, 'rollup-bg-') SYNC")
})
