import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { keyFilter, treeCondition } from '../metric/filter-condition.ts'
import { bucketOfDay, type Alias } from '../metric/local-time.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { aliased, withAliases } from '../metric/samples.ts'
import { rankAliases, rankConditions, rankedKey, rankKeys } from '../metric/series/top-series.ts'
import { grains, rolledKey } from './grains.ts'
import { dayOfBuild, type RolledDays } from './rolled-days.ts'
import { everyBlock, rollupTable } from './rollup-table.ts'
import { cellName, columnOf, type RolledSum } from './rollup-columns.ts'

/** Selects the cells of the days that are read from rollups. The first condition is always the caller's panels. */
export function storedCells(
  database: string,
  plan: MetricPlan,
  rolled: RolledDays,
  aggregation: Aggregation,
  keys: readonly Alias[],
  sums: readonly RolledSum[],
): Sql {
  const { test, normalised, splits } = plan
  const own = splits.map(({ source }) => rolledKey(source))
  const ranks = rankAliases(plan, own)
  const values = [
    bucketOfDay(aggregation, sql`day`) ?? sql`day`,
    ...own.map((key) => rankedKey(plan, key)),
    ...rankKeys(plan).map(({ value }) => value),
  ]
  const blockHours = test.schedule.slice(1).map((end, index) => end - (test.schedule[index] ?? 0))
  const hours = sql`if(block = ${bind('UInt8', everyBlock)}, 0, ${bind('Array(UInt8)', blockHours)}[block + 1])`
  const columns = [
    ...keys.map(({ name }, index) => ({ name, value: values[index] ?? sql`NULL` })),
    ...sums.map((sum) => ({ name: cellName(sum), value: sum.ofRollup(columnOf(sum)) })),
    ...(normalised ? [{ name: 'cell_hours', value: sql`any(${hours})` }] : []),
  ]
  const grouped = [...keys.map(({ name }) => identifier(name)), ...(normalised ? [sql`block`] : [])]
  return sql`${ranks.length === 0 ? sql`` : sql`${withAliases(ranks)}\n`}SELECT
  ${normalised ? sql`block,\n  ` : sql``}${join(columns.map(aliased), ',\n  ')}
${fromStoredCells(database, plan, rolled, rankConditions(plan))}
GROUP BY ${join(grouped, ', ')}`
}

/** Returns `FROM … WHERE …` of the statement of `storedCells`. */
export function fromStoredCells(
  database: string,
  { metric, panels, prefilter, normalised, filters }: MetricPlan,
  rolled: RolledDays,
  more: readonly Sql[] = [],
): Sql {
  const conditions = [
    sql`panel IN ${bind('Array(UInt32)', panels)}`,
    sql`metric = ${literal(metric.key)} AND prefilter = ${prefilter ? sql`1` : sql`0`} AND grain = ${bind('UInt8', grains[rolled.grain])}`,
    sql`whole ${normalised ? sql`IN (0, 1)` : sql`= 1`}`,
    sql`day BETWEEN ${bind('Date', dateOf(rolled.days.first))} AND ${bind('Date', dateOf(rolled.days.last))}`,
    sql`${dayOfBuild} IN ${bind('Array(UInt64)', rolled.daysOfBuilds)}`,
    ...filters.map((filter) => treeCondition(filter, (leaf) => keyFilter(leaf, rolledKey(leaf.dimension.source)))),
    ...more,
  ]
  return sql`FROM ${identifier(database)}.${identifier(rollupTable)}
WHERE ${join(conditions, '\n  AND ')}`
}

const dateOf = (day: number): string =>
  Temporal.Instant.fromEpochMilliseconds(day * 86_400_000)
    .toString()
    .slice(0, 10)
