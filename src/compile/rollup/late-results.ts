import { bind, identifier, join, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import { rollupLimits } from '../../base/limits.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { rowsTable } from '../values/value-tables.ts'
import type { RollupBuild } from './build-rollup.ts'
import { rollupTable } from './rollup-table.ts'

/** Reads ClickHouse's clock. Rows that are stored later get a later `ingested_at`. */
export const readEngineClock = sql`SELECT toString(now64(3, 'UTC')) AS now`

/**
 * Finds the panels and UTC days with results that were stored after `since`, and for each the time when its last result was
 * stored.
 */
export const findStoredSince = (database: string, test: string, since: string | null): Sql =>
  sql`SELECT panel, toString(toDate(dtime)) AS day, toString(max(ingested_at)) AS latest
FROM ${identifier(database)}.${identifier(test)}${
    since === null ? sql`` : sql`\nWHERE ingested_at >= ${instant(since)}`
  }
GROUP BY panel, toDate(dtime)`

/**
 * Finds the UTC days of a query that have results which the rollup job has not recorded yet. The index on `ingested_at` lets
 * ClickHouse skip nearly all rows. If ClickHouse's clock has been set back, new rows can have an `ingested_at` before `since`.
 * In this case the statement returns every day that has results.
 */
export const findUnrecordedDays = (
  database: string,
  { test, panels }: MetricPlan,
  days: { readonly first: number; readonly last: number },
  since: string,
): Sql =>
  sql`SELECT DISTINCT toUInt16(toDate(dtime)) AS day
FROM ${identifier(database)}.${identifier(test.key)}
WHERE panel IN ${bind('Array(UInt32)', panels)}
  AND toDate(dtime) BETWEEN toDate(${bind('UInt16', Math.max(days.first - 1, 0))}) AND toDate(${bind('UInt16', days.last + 1)})
  AND ingested_at >= if(now64(3, 'UTC') < addMilliseconds(${instant(since)}, ${numberLiteral(leadMinMs)}), toDateTime64(0, 3, 'UTC'), ${instant(since)})`

/** Minimum difference between ClickHouse's clock and the recorded time. If it is smaller, the clock has been set back. */
const leadMinMs = rollupLimits.quietMs - rollupLimits.clockLossMaxMs

/**
 * Finds out whether there is any result. The statement counts all rows. If it stopped at the first row, it would interrupt the
 * responses of other nodes.
 */
export const findAnyResult = (
  database: string,
  { test, panel, days }: Pick<RollupBuild, 'test' | 'panel' | 'days'>,
): Sql =>
  sql`SELECT count() AS found FROM ${identifier(database)}.${identifier(test.key)}
WHERE panel = ${bind('UInt32', panel)}
  AND toDate(dtime) BETWEEN toDate(${bind('UInt16', Math.max(days.first - 1, 0))}) AND toDate(${bind('UInt16', days.last + 1)})
HAVING found > 0`

/**
 * Finds out whether the number of the build is already in use. The statement searches all panels, because a query of several
 * panels reads the builds of all of them.
 */
export const findRowsOfBuild = (database: string, { build, days }: RollupBuild): Sql =>
  sql`SELECT count() AS found FROM ${identifier(database)}.${identifier(rollupTable)}
WHERE day BETWEEN toDate(${bind('UInt16', days.first)}) AND toDate(${bind('UInt16', days.last)}) AND build = ${bind('UInt64', build)}
HAVING found > 0`

const instant = (text: string): Sql => sql`toDateTime64(${bind('String', text)}, 3, 'UTC')`

/** Deletes builds that no query reads any more. Must run on every node. */
export const removeBuilds = (database: string, isSingle: boolean, builds: readonly number[]): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(rowsTable(rollupTable, isSingle))} DELETE WHERE ${isOfBuilds(builds)}
SETTINGS mutations_sync = 2`

/**
 * The condition that a row belongs to one of the builds. It contains the numbers of the builds: a subquery could return
 * different builds for different parts. An empty list needs a special case, because `IN ()` is invalid SQL.
 */
export const isOfBuilds = (builds: readonly number[]): Sql =>
  builds.length === 0 ? sql`false` : sql`build IN (${join(builds.map(numberLiteral), ', ')})`

/** Query ids of builds begin with this prefix, so that another process can find and stop the statements. */
export const buildQueryPrefix = (database: string): string => `rollup-${database}-`

/**
 * Stops all running builds on one node and waits for their end. The caller must hold the build lock, because this stops the
 * builds of every instance.
 */
export const stopBuilds = (database: string): Sql =>
  sql`KILL QUERY WHERE startsWith(initial_query_id, ${literal(buildQueryPrefix(database))}) SYNC`
