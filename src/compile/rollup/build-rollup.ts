import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import { type Alias, localDate } from '../metric/local-time.ts'
import { blockAliases } from '../metric/normalise.ts'
import { samples, withAliases } from '../metric/samples.ts'
import { type Zone, zoneOffsets } from '../metric/zone-offsets.ts'
import { coarsestFirst, type Grain, grains, isOfGrain, rolledDimensions, rolledValue } from './grains.ts'
import { everyBlock, rollupTable } from './rollup-table.ts'
import { columnOf, distinctAgents, distinctUnits, measureSums, results, sketchSum, sumColumns } from './sums.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'

/**
 * The statements that make a build, in their order: from the results the sums by every dimension, then ever coarser ones,
 * each from the one before. Rows that name agents come before those that do not: whoever looks for an agent finds every
 * build that knew it.
 */
export function buildStatements(
  database: string,
  catalog: Catalog,
  zones: readonly Zone[],
  build: RollupBuild,
): readonly Sql[] {
  const metrics = catalog.metrics.filter(({ test }) => test === build.test.key)
  const fromResults = metrics.flatMap((metric) =>
    [false, true].flatMap((prefilter) =>
      [true, false].map((whole) => sumsOfResults(database, catalog, zones, build, { metric, prefilter, whole })),
    ),
  )
  const fromSums = coarsestFirst
    .toReversed()
    .flatMap((finer, index, all) => coarserSums(database, catalog, build, finer, all[index + 1]))
  return [...fromResults, ...fromSums]
}

type Part = { readonly metric: MetricDefinition; readonly prefilter: boolean; readonly whole: boolean }

function sumsOfResults(
  database: string,
  catalog: Catalog,
  zones: readonly Zone[],
  build: RollupBuild,
  { metric, prefilter, whole }: Part,
): Sql {
  const plan = planOfBuild(build, metric, prefilter, zones)
  const { aliases, from } = samples(database, plan)
  const dimensions = rolledDimensions(catalog, build.test)
  const agents = [distinctAgents, distinctUnits(database)]
  const keys: Alias[] = [
    { name: 'rolled_day', value: localDate },
    ...dimensions.map((one) => ({ name: `rolled_${one.column}`, value: rolledValue(database, one) })),
    ...(whole ? [] : [{ name: 'rolled_block', value: sql`block` }]),
  ]
  const sums = [results, ...measureSums(metric.measure.kind), sketchSum(metric.measure.kind), ...(whole ? agents : [])]
  const columns: Alias[] = [
    { name: 'metric', value: literal(metric.key) },
    { name: 'prefilter', value: prefilter ? sql`1` : sql`0` },
    { name: 'grain', value: uint16(grains.every) },
    { name: 'whole', value: whole ? sql`1` : sql`0` },
    ...framing(build, sql`rolled_day`),
    { name: 'block', value: whole ? uint16(everyBlock) : sql`rolled_block` },
    ...dimensions.map(({ column }) => ({ name: column, value: identifier(`rolled_${column}`) })),
    ...sums.map((sum) => ({ name: sum.name, value: sum.ofRows })),
  ]
  return sql`INSERT INTO ${table(database)} (${names(columns)})
${withAliases([...aliases, ...blockAliases(build.test.schedule, { hours: null }), ...keys])}
SELECT
  ${join(
    columns.map(({ value }) => value),
    ',\n  ',
  )}
${from}
GROUP BY ${names(keys)}`
}

/** From finer sums of the same build, for all its metrics at once. */
function coarserSums(
  database: string,
  catalog: Catalog,
  build: RollupBuild,
  finer: Grain,
  grain: Grain | undefined,
): readonly Sql[] {
  if (grain === undefined) return []
  const dimensions = rolledDimensions(catalog, build.test).filter((one) => isOfGrain(one, grain))
  const keys = ['metric', 'prefilter', 'whole', 'day', 'block', ...dimensions.map(({ column }) => column)]
  const columns: Alias[] = [
    ...keys.map((name) => ({ name, value: identifier(name) })),
    { name: 'grain', value: uint16(grains[grain]) },
    ...framing(build, sql`day`).filter(({ name }) => name !== 'day'),
    ...sumColumns(database).map((sum) => ({ name: sum.name, value: sum.ofSums(columnOf(sum)) })),
  ]
  const query = sql`INSERT INTO ${table(database)} (${names(columns)})
SELECT
  ${join(
    columns.map(({ value }) => value),
    ',\n  ',
  )}
FROM ${table(database)}
WHERE panel = ${bind('UInt32', build.panel)} AND build = ${bind('UInt64', build.build)} AND grain = ${uint16(grains[finer])}
  AND day BETWEEN toDate(toUInt16(${uint16(build.days.first)})) AND toDate(toUInt16(${uint16(build.days.last)}))
GROUP BY ${join(keys.map(identifier), ', ')}`
  return [query]
}

/** Far enough ahead that nobody will see it, and the last day the engine can write. */
const neverExpires = 65_535

const framing = ({ panel, build, keepDays }: RollupBuild, day: Sql): Alias[] => [
  { name: 'panel', value: sql`${bind('UInt32', panel)}` },
  { name: 'day', value: day },
  { name: 'build', value: sql`${bind('UInt64', build)}` },
  {
    name: 'expires',
    value: keepDays === null ? sql`toDate(toUInt16(${uint16(neverExpires)}))` : sql`${day} + ${uint16(keepDays)}`,
  },
]

const uint16 = (value: number): Sql => sql`${bind('UInt16', value)}`

const table = (database: string): Sql => sql`${identifier(database)}.${identifier(rollupTable)}`

const names = (columns: readonly Alias[]): Sql =>
  join(
    columns.map(({ name }) => identifier(name)),
    ', ',
  )

/** Days of a panel's results of a test that are to be put together, on one node. */
export type RollupBuild = {
  readonly build: number
  readonly test: TestDefinition
  readonly panel: number
  /** Both included, counted from 1970. */
  readonly days: { readonly first: number; readonly last: number }
  /** For how many days after it a day is kept; null: for ever. */
  readonly keepDays: number | null
}

const daySeconds = 86_400

/** A whole day and more on either side: a day on the other side of the world is one too. */
const zoneMarginSeconds = 2 * daySeconds

/** As if somebody had asked for these days of the panel. */
export function planOfBuild(
  { test, panel, days }: RollupBuild,
  metric: MetricDefinition,
  prefilter: boolean,
  zones: readonly Zone[],
): MetricPlan {
  const [from, to] = [days.first * daySeconds, (days.last + 1) * daySeconds - 1]
  return {
    metric,
    test,
    panels: [panel],
    from,
    to,
    aggregation: null,
    normalised: false,
    prefilter,
    splits: [],
    filters: [],
    // While one is being erased, nothing of its panel is built.
    erased: [],
    percentiles: 'sketch',
    offsets: zoneOffsets(zones, from - zoneMarginSeconds, to + zoneMarginSeconds),
  }
}
