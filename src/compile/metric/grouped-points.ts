import { identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { agentAttribute } from './dimension-value.ts'
import type { Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { blockAliases, inBlockOrder, normalisedSpread } from './normalise.ts'
import { percentileLevels, plainSpread, rowSums, type Spread } from './statistics.ts'
import { aliased, samples, withAliases } from './samples.ts'
import { taggedWithBlock, weightedPercentiles } from './weighted-percentiles.ts'

/** Rows put together by `keys`, and what is made of their sums. */
export type GroupedPoints = { readonly points: Sql; readonly spread: Spread }

/** One level: the engine's own aggregates, put together across shards by the engine itself. */
export function plainPoints(database: string, plan: MetricPlan, keys: readonly Alias[]): GroupedPoints {
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
export function normalisedPoints(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  keys: readonly Alias[],
): GroupedPoints {
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
      ...each.map(
        (name) =>
          sql`${inBlockOrder(sql`groupArray(${identifier(name)})`, sql`groupArray(block)`)} AS ${identifier(`each_${name}`)}`,
      ),
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

const names = (aliases: readonly Alias[]): Sql =>
  join(
    aliases.map(({ name }) => identifier(name)),
    ', ',
  )
