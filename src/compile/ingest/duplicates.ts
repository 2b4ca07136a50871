import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { shardTable } from '../schema/fact-table.ts'

/** The table with the rows of a test on one node. `isShard` is true on a cluster. */
export type NodeTable = { readonly test: TestDefinition; readonly database: string; readonly isShard: boolean }

/**
 * The columns that identify a result. Their order follows the sort key of the table as far as possible, so that ClickHouse can
 * group a month without holding it in memory.
 */
const identityOf = (test: TestDefinition): Sql =>
  join([sql`panel`, sql`toDate(dtime)`, sql`agent`, sql`dtime`, ...test.identity.map(identifier)], ', ')

/** Counts per month: results that are stored more than once, surplus rows, and results whose rows differ. */
export function countDuplicates(table: NodeTable): Sql {
  const { test } = table
  const values = test.columns.map(({ name }) => identifier(name))
  return sql`SELECT toUInt32(toYYYYMM(time)) AS month, toUInt32(count()) AS results, toUInt32(sum(rows) - count()) AS surplus,
  toUInt32(countIf(versions > 1)) AS differing
FROM (
  SELECT any(dtime) AS time, count() AS rows, uniqExact(tuple(${join(values, ', ')})) AS versions
  FROM ${nameOf(table)} GROUP BY ${identityOf(test)} HAVING rows > 1
) GROUP BY month ORDER BY month`
}

/** Records the position of each surplus row. A surplus row is every row of a result except the one that was stored first. */
export function recordSurplus(table: NodeTable, month: number, run: string): Sql {
  return sql`INSERT INTO ${identifier(table.database)}.surplus_rows (run, part, place)
SELECT ${bind('String', run)}, surplus.2, surplus.3 FROM (
  SELECT arrayJoin(arraySlice(arraySort(groupArray((ingested_at, toString(_part), _part_offset))), 2)) AS surplus
  FROM ${nameOf(table)} WHERE toYYYYMM(dtime) = ${bind('UInt32', month)}
  GROUP BY ${identityOf(table.test)} HAVING count() > 1
)`
}

/**
 * Deletes exactly the rows at the positions that `recordSurplus` has recorded. If ClickHouse has merged a part in the meantime,
 * the part has another name; the next run deletes its rows.
 */
export function deleteSurplus(table: NodeTable, month: number, run: string): Sql {
  return sql`DELETE FROM ${nameOf(table)} IN PARTITION ID ${literal(String(month))}
WHERE (_part, _part_offset) IN (
  SELECT part, place FROM ${identifier(table.database)}.surplus_rows WHERE run = ${literal(run)}
)`
}

/** Returns 1 if the table is replicated, otherwise 0. */
export const countReplicas = ({ test, database, isShard }: NodeTable): Sql =>
  sql`SELECT count() AS replicas FROM system.tables WHERE database = ${bind('String', database)}
AND name = ${bind('String', isShard ? shardTable(test.key) : test.key)} AND startsWith(engine, 'Replicated')`

const nameOf = ({ test, database, isShard }: NodeTable): Sql =>
  sql`${identifier(database)}.${identifier(isShard ? shardTable(test.key) : test.key)}`
