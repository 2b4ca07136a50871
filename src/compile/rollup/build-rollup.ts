import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { pointFields } from '../../catalog/point-fields.ts'
import type { MetricDefinition } from '../../catalog/define-metric.ts'
import { type Alias, localDate } from '../metric/local-time.ts'
import { anyTime } from '../metric/clock/week.ts'
import { blockAliases } from '../metric/normalise.ts'
import { samples, withAliases } from '../metric/samples.ts'
import { type Zone, zoneOffsets } from '../metric/clock/zone-offsets.ts'
import { coarsestFirst, type Grain, grains, isOfGrain, rolledDimensions, rolledValue } from './grains.ts'
import { everyBlock, rollupTable } from './rollup-table.ts'
import {
  columnOf,
  distinctAgents,
  distinctUnits,
  measureColumns,
  results,
  sketchSum,
  sumColumns,
} from './rollup-columns.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'

/**
 * Returns the statements of a build, in order. The first statement rolls up results by every dimension. Each later statement
 * computes a coarser grain from the grain before it. Rows that contain agent numbers (`whole`) are written before all other
 * rows. So a search for an agent number finds every build that has counted the agent.
 */
export function buildStatements(
  database: string,
  catalog: Catalog,
  zones: readonly Zone[],
  build: RollupBuild,
): readonly Sql[] {
  const metrics = catalog.metrics.filter(({ test }) => test === build.test.key)
  const blocks = blockAliases(build.test.schedule, { hours: null }, anyTime)
  const fromResults = metrics.flatMap((metric) =>
    [false, true].flatMap((prefilter) =>
      [true, false].map((whole) =>
        rollupOfResults(database, catalog, zones, build, { metric, prefilter, whole, blocks }),
      ),
    ),
  )
  const fromRollup = coarsestFirst
    .toReversed()
    .flatMap((finer, index, all) => coarserRollup(database, catalog, build, finer, all[index + 1]))
  return [...fromResults, ...fromRollup]
}

type Part = {
  readonly metric: MetricDefinition
  readonly prefilter: boolean
  readonly whole: boolean
  readonly blocks: readonly Alias[]
}

function rollupOfResults(
  database: string,
  catalog: Catalog,
  zones: readonly Zone[],
  build: RollupBuild,
  { metric, prefilter, whole, blocks }: Part,
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
  const sums = [results, ...measureColumns(metric.measure), sketchSum(metric.measure.kind), ...(whole ? agents : [])]
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
${withAliases([...aliases, ...blocks, ...keys])}
SELECT
  ${join(
    columns.map(({ value }) => value),
    ',\n  ',
  )}
${from}
GROUP BY ${names(keys)}`
}

/** Computes a grain from the finer grain of the same build, for all metrics of the test together. */
function coarserRollup(
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
    ...sumColumns(database).map((sum) => ({ name: sum.name, value: sum.ofRollup(columnOf(sum)) })),
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

/** The largest value of ClickHouse's `Date`. */
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

/** A build: it rolls up these days of one panel and one test. */
export type RollupBuild = {
  readonly build: number
  readonly test: TestDefinition
  readonly panel: number
  /** First and last day, both included, in days since 1970. */
  readonly days: { readonly first: number; readonly last: number }
  /** Retention of the results in days; null if they are kept forever. */
  readonly keepDays: number | null
}

const daySeconds = 86_400

/** A margin around the range of a build. A local day can begin or end more than a day before or after the UTC day. */
const zoneMarginSeconds = 2 * daySeconds

/** The plan of a metric query for the days and the panel of a build. */
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
    // `erased` is empty, because no build of a panel runs while one of its agents is being erased.
    erased: [],
    percentiles: 'sketch',
    fields: pointFields,
    intervals: 'results',
    include: [],
    offsets: zoneOffsets(zones, from - zoneMarginSeconds, to + zoneMarginSeconds),
  }
}
