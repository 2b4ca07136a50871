import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { shardTable } from '../schema/fact-table.ts'

/** The rows one node holds of a test. */
export type NodeTable = { readonly test: TestDefinition; readonly database: string; readonly isShard: boolean }

/** In the order of the table as far as that goes, so that the engine need not keep a month in memory to group it. */
const identityOf = (test: TestDefinition): Sql =>
  join([sql`panel`, sql`toDate(dtime)`, sql`agent`, sql`dtime`, ...test.identity.map(identifier)], ', ')

/** By month: results that are stored more than once, rows too many, and results whose rows do not say the same. */
export function countDuplicates(table: NodeTable): Sql {
  const { test } = table
  const said = test.columns.map(({ name }) => identifier(name))
  return sql`SELECT toUInt32(toYYYYMM(time)) AS month, toUInt32(count()) AS results, toUInt32(sum(rows) - count()) AS surplus,
  toUInt32(countIf(versions > 1)) AS differing
FROM (
  SELECT any(dtime) AS time, count() AS rows, uniqExact(tuple(${join(said, ', ')})) AS versions
  FROM ${nameOf(table)} GROUP BY ${identityOf(test)} HAVING rows > 1
) GROUP BY month ORDER BY month`
}

/** Writes down where the rows are that are too many: all but the one that was stored first. */
export function noteSurplus(table: NodeTable, month: number, run: string): Sql {
  return sql`INSERT INTO ${identifier(table.database)}.surplus_rows (run, part, place)
SELECT ${bind('String', run)}, surplus.2, surplus.3 FROM (
  SELECT arrayJoin(arraySlice(arraySort(groupArray((ingested_at, toString(_part), _part_offset))), 2)) AS surplus
  FROM ${nameOf(table)} WHERE toYYYYMM(dtime) = ${bind('UInt32', month)}
  GROUP BY ${identityOf(table.test)} HAVING count() > 1
)`
}

/**
 * Removes exactly those. A part that has been merged meanwhile has another name, so a row that has moved stays, and is
 * found by the next run.
 */
export function deleteSurplus(table: NodeTable, month: number, run: string): Sql {
  return sql`DELETE FROM ${nameOf(table)} IN PARTITION ID ${literal(String(month))}
WHERE (_part, _part_offset) IN (
  SELECT part, place FROM ${identifier(table.database)}.surplus_rows WHERE run = ${literal(run)}
)`
}

/** 1 where the table is a replica's. */
export const countReplicas = ({ test, database, isShard }: NodeTable): Sql =>
  sql`SELECT count() AS replicas FROM system.tables WHERE database = ${bind('String', database)}
AND name = ${bind('String', isShard ? shardTable(test.key) : test.key)} AND startsWith(engine, 'Replicated')`

const nameOf = ({ test, database, isShard }: NodeTable): Sql =>
  sql`${identifier(database)}.${identifier(isShard ? shardTable(test.key) : test.key)}`
