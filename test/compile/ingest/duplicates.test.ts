import { expect, it } from 'vitest'
import { countDuplicates, countReplicas, deleteSurplus, recordSurplus } from '../../../src/compile/ingest/duplicates.ts'
import { shown } from '../shown.ts'
import { small } from './small-test.ts'

const table = { test: small, database: 'bg', isShard: false }
const shard = { ...table, isShard: true }
const identity = 'panel, toDate(dtime), agent, dtime, target, ip_version'

it('counts results that are stored more than once, and those whose rows differ, by month', () => {
  expect(shown(countDuplicates(table)))
    .toBe(`SELECT toUInt32(toYYYYMM(time)) AS month, toUInt32(count()) AS results, toUInt32(sum(rows) - count()) AS surplus,
  toUInt32(countIf(versions > 1)) AS differing
FROM (
  SELECT any(dtime) AS time, count() AS rows, uniqExact(tuple(target, address, rtt, speed, sequence, ip_version, successes)) AS versions
  FROM bg.small GROUP BY ${identity} HAVING rows > 1
) GROUP BY month ORDER BY month`)
})

it('records the positions of all rows of a result except the first stored one', () => {
  expect(shown(recordSurplus(table, 202601, 'r1'))).toBe(`INSERT INTO bg.surplus_rows (run, part, place)
SELECT {"r1":String}, surplus.2, surplus.3 FROM (
  SELECT arrayJoin(arraySlice(arraySort(groupArray((ingested_at, toString(_part), _part_offset))), 2)) AS surplus
  FROM bg.small WHERE toYYYYMM(dtime) = {202601:UInt32}
  GROUP BY ${identity} HAVING count() > 1
)`)
})

it('removes exactly those rows, by part and position', () => {
  expect(shown(deleteSurplus(table, 202601, "r'1"))).toBe(`DELETE FROM bg.small IN PARTITION ID '202601'
WHERE (_part, _part_offset) IN (
  SELECT part, place FROM bg.surplus_rows WHERE run = 'r\\'1'
)`)
})

it('reads the shard’s own rows on a cluster', () => {
  expect(shown(countDuplicates(shard))).toContain('FROM bg.small_shard GROUP BY')
  expect(shown(recordSurplus(shard, 202601, 'r1'))).toContain('FROM bg.small_shard WHERE')
  expect(shown(deleteSurplus(shard, 202601, 'r1'))).toContain('DELETE FROM bg.small_shard IN')
})

it.each([
  [table, 'small'],
  [shard, 'small_shard'],
])('shows whether the table is replicated', (of, name) => {
  expect(shown(countReplicas(of))).toBe(
    `SELECT count() AS replicas FROM system.tables WHERE database = {"bg":String}
AND name = {"${name}":String} AND startsWith(engine, 'Replicated')`,
  )
})
