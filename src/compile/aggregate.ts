import { limits } from '../base/limits.ts'
import { bind, identifier, join, sql, statement, type Sql, type Statement } from '../base/sql.ts'
import type { Aggregation } from '../catalog/aggregations.ts'
import { agentAttribute, dimensionValue } from './dimension-value.ts'
import { bucketLabel, bucketOf, type Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { blockAliases, normalisedSpread } from './normalise.ts'
import { plainSpread } from './plain-spread.ts'
import { samples, withAliases } from './samples.ts'
import { percentileLevels, statisticColumns, type Step } from './statistics.ts'
import { taggedWithBlock, weightedPercentiles } from './weighted-percentiles.ts'

/** A statement and the columns of its rows, in order: the splits, the label of the bucket, the statistics. */
export type PointStatement = { readonly columns: readonly string[]; readonly statement: Statement }

/** The points of an answer, and one more than it may have: too many are noticed, and never cut off. */
export function pointStatement(database: string, plan: MetricPlan, aggregation: Aggregation): PointStatement {
  const splits = plan.splits.map(({ source }, index) => ({
    name: `split${index + 1}`,
    ...dimensionValue(database, source),
  }))
  const keys = [
    { name: 'bucket', value: bucketOf(aggregation) },
    ...splits.map(({ name, key }) => ({ name, value: key })),
  ]
  const { points, spread } = plan.normalised
    ? normalisedPoints(database, plan, aggregation, keys)
    : plainPoints(database, plan, keys)
  const label = bucketLabel(aggregation)
  const columns = [
    ...splits.map(({ name, shown }) => ({ name: `shown_${name}`, value: shown(identifier(name)) })),
    ...(label === null ? [] : [label]),
    ...statisticColumns(plan, spread),
  ]
  const order = [...splits.map(({ name }) => sql`${identifier(`shown_${name}`)} ASC NULLS LAST`), sql`bucket`]
  return {
    columns: columns.map(({ name }) => name),
    statement: statement(sql`SELECT
  ${join(columns.map(aliased), ',\n  ')}
FROM (
${spread.steps.reduce(withStep, points)}
)
ORDER BY ${join(order, ', ')}
LIMIT ${bind('UInt32', limits.pointsMax + 1)}`),
  }
}

/** A level of its own for each step: the engine writes out a name wherever it is used, and long chains grow beyond measure. */
const withStep = (from: Sql, step: Step): Sql => sql`SELECT *,
  ${join(step.map(aliased), ',\n  ')}
FROM (
${from}
)`

const aliased = ({ name, value }: Alias): Sql => sql`${value} AS ${identifier(name)}`

const names = (aliases: readonly Alias[]): Sql =>
  join(
    aliases.map(({ name }) => identifier(name)),
    ', ',
  )

/** One level: the engine's own aggregates, put together across shards by the engine itself. */
function plainPoints(database: string, plan: MetricPlan, keys: readonly Alias[]) {
  const { aliases, from } = samples(database, plan)
  const value = plan.metric.measure.kind === 'value' ? sql`number` : sql`percentage`
  const sums = [
    { name: 'sample_count', value: sql`count()` },
    { name: 'agent_count', value: sql`uniqExact(agent)` },
    { name: 'unit_count', value: sql`uniqExactIf(agent, ${hasUnit(database)})` },
    ...rowSums(plan),
    ...(plan.percentiles === 'none'
      ? []
      : [{ name: 'levels', value: sql`quantilesExactInclusive(${percentileLevels})(${value})` }]),
  ]
  const points = sql`${withAliases(aliases)}
SELECT
  ${join([...keys, ...sums].map(aliased), ',\n  ')}
${from}
GROUP BY ${names(keys)}`
  return { points, spread: plainSpread(plan) }
}

/** Two levels: rows into blocks of the schedule, blocks into points. */
function normalisedPoints(database: string, plan: MetricPlan, aggregation: Aggregation, keys: readonly Alias[]) {
  const { aliases, from } = samples(database, plan)
  const value = plan.metric.measure.kind === 'value' ? sql`number` : sql`percentage`
  const withPercentiles = plan.percentiles !== 'none'
  const sums = [
    { name: 'hours', value: sql`any(block_hours)` },
    { name: 'results', value: sql`count()` },
    { name: 'agents', value: sql`uniqExactState(agent)` },
    { name: 'units', value: sql`uniqExactStateIf(agent, ${hasUnit(database)})` },
    ...rowSums(plan),
    ...(withPercentiles ? [{ name: 'tagged', value: sql`groupArray(${taggedWithBlock(value)})` }] : []),
  ]
  const each = ['block', 'hours', 'results', ...rowSums(plan).map(({ name }) => name)].filter(
    (name) => name !== 'least' && name !== 'greatest',
  )
  const points = sql`SELECT
  ${join(
    [
      ...keys.map(({ name }) => identifier(name)),
      sql`sum(results) AS sample_count`,
      sql`uniqExactMerge(agents) AS agent_count`,
      sql`uniqExactMerge(units) AS unit_count`,
      sql`min(block_least) AS least`,
      sql`max(block_greatest) AS greatest`,
      ...each.map((name) => sql`groupArray(${identifier(name)}) AS ${identifier(`each_${name}`)}`),
      ...(withPercentiles ? [sql`groupArrayArray(block_tagged) AS tagged`] : []),
    ],
    ',\n  ',
  )}
FROM (
${withAliases([...aliases, ...blockAliases(plan.test.schedule, aggregation)])}
SELECT
  block,
  ${join([...keys, ...sums.map(ofBlock)].map(aliased), ',\n  ')}
${from}
GROUP BY ${names(keys)}, block
)
GROUP BY ${names(keys)}`
  const spread = normalisedSpread(plan)
  return { points, spread: { ...spread, steps: [...spread.steps, ...(withPercentiles ? weightedPercentiles : [])] } }
}

/** Names that the level above gives to its own. */
const ofBlock = ({ name, value }: Alias): Alias =>
  name === 'least' || name === 'greatest' || name === 'tagged' ? { name: `block_${name}`, value } : { name, value }

const hasUnit = (database: string): Sql => sql`isNotNull(${agentAttribute(database, 'unit_id', sql`agent`)})`

/** Sums over rows. Of whole numbers, in types that cannot overflow, so that what is made of them is exact. */
function rowSums({ metric: { measure } }: MetricPlan): readonly Alias[] {
  if (measure.kind === 'value') {
    return [
      { name: 'total', value: sql`sum(toInt128(number))` },
      { name: 'squares', value: sql`sum(toInt256(toInt128(number) * number))` },
      { name: 'least', value: sql`min(number)` },
      { name: 'greatest', value: sql`max(number)` },
    ]
  }
  return [
    { name: 'numerators', value: sql`sum(toInt128(numerator))` },
    { name: 'denominators', value: sql`sum(toInt128(denominator))` },
    { name: 'numerator_squares', value: sql`sum(toInt256(toInt128(numerator) * numerator))` },
    { name: 'products', value: sql`sum(toInt256(toInt128(numerator) * denominator))` },
    { name: 'denominator_squares', value: sql`sum(toInt256(toInt128(denominator) * denominator))` },
    { name: 'mean', value: sql`avg(percentage)` },
    { name: 'variance', value: sql`varPopStable(percentage)` },
    { name: 'least', value: sql`min(percentage)` },
    { name: 'greatest', value: sql`max(percentage)` },
  ]
}
