import { bind, identifier, join, literal, numberLiteral, sql, type Sql } from '../../base/sql.ts'
import { rollupLimits } from '../../base/limits.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { rowsTable } from '../values/value-tables.ts'
import type { RollupBuild } from './build-rollup.ts'
import { rollupTable } from './rollup-table.ts'

/** The engine's clock: what is stored from now on has a later time. */
export const readEngineClock = sql`SELECT toString(now64(3, 'UTC')) AS now`

/** By panel and UTC day, what has been stored since: when the last of it was. */
export const findStoredSince = (database: string, test: string, since: string | null): Sql =>
  sql`SELECT panel, toString(toDate(dtime)) AS day, toString(max(ingested_at)) AS latest
FROM ${identifier(database)}.${identifier(test)}${
    since === null ? sql`` : sql`\nWHERE ingested_at >= ${instant(since)}`
  }
GROUP BY panel, toDate(dtime)`

/**
 * UTC days of a question with results that nobody has noted yet. The index over the time of storing lets the engine skip
 * nearly everything. All days, when the engine's clock has been set back since: what was stored then looks older than that.
 */
export const findUnnotedDays = (
  database: string,
  { test, panels }: MetricPlan,
  days: { readonly first: number; readonly last: number },
  since: string,
): Sql =>
  sql`SELECT DISTINCT toUInt16(toDate(dtime)) AS day
FROM ${identifier(database)}.${identifier(test.key)}
WHERE panel IN ${bind('Array(UInt32)', panels)}
  AND toDate(dtime) BETWEEN toDate(${bind('UInt16', Math.max(days.first - 1, 0))}) AND toDate(${bind('UInt16', days.last + 1)})
  AND ingested_at >= if(now64(3, 'UTC') < addMilliseconds(${instant(since)}, ${numberLiteral(ranAtLeastMs)}), toDateTime64(0, 3, 'UTC'), ${instant(since)})`

/** By how much the engine's clock is ahead of what has been noted, unless it has been set back. */
const ranAtLeastMs = rollupLimits.quietMs - rollupLimits.clockLossMaxMs

/** Whether there is anything to put together. Counted: whoever stops at the first row leaves the other nodes amid their answer. */
export const findAnyResult = (
  database: string,
  { test, panel, days }: Pick<RollupBuild, 'test' | 'panel' | 'days'>,
): Sql =>
  sql`SELECT count() AS found FROM ${identifier(database)}.${identifier(test.key)}
WHERE panel = ${bind('UInt32', panel)}
  AND toDate(dtime) BETWEEN toDate(${bind('UInt16', Math.max(days.first - 1, 0))}) AND toDate(${bind('UInt16', days.last + 1)})
HAVING found > 0`

/** Whether the number of a build has been used before. All panels': a question of several asks for the numbers of all. */
export const findSumsOfBuild = (database: string, { build, days }: RollupBuild): Sql =>
  sql`SELECT count() AS found FROM ${identifier(database)}.${identifier(rollupTable)}
WHERE day BETWEEN toDate(${bind('UInt16', days.first)}) AND toDate(${bind('UInt16', days.last)}) AND build = ${bind('UInt64', build)}
HAVING found > 0`

const instant = (text: string): Sql => sql`toDateTime64(${bind('String', text)}, 3, 'UTC')`

/** On every node, what is left of builds that nobody asks any more. */
export const removeBuilds = (database: string, isSingle: boolean, builds: readonly number[]): Sql =>
  sql`ALTER TABLE ${identifier(database)}.${identifier(rowsTable(rollupTable, isSingle))} DELETE WHERE ${isOfBuilds(builds)}
SETTINGS mutations_sync = 2`

/** By their numbers, which are the same for every part. `IN ()` is not SQL. */
export const isOfBuilds = (builds: readonly number[]): Sql =>
  builds.length === 0 ? sql`false` : sql`build IN (${join(builds.map(numberLiteral), ', ')})`

/** How the ids of a build's statements begin: they can be found when nobody waits for them any more. */
export const buildQueryPrefix = (database: string): string => `rollup-${database}-`

/** On a node, and waits for it. Only while nobody may build: it does not ask whose statements they are. */
export const stopBuilds = (database: string): Sql =>
  sql`KILL QUERY WHERE startsWith(initial_query_id, ${literal(buildQueryPrefix(database))}) SYNC`
