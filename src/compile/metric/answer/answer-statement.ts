import { bind, identifier, join, literal, sharingValues, sql, type Sql } from '../../../base/sql.ts'
import type { Aggregation } from '../../../catalog/aggregations.ts'
import { pointStatement, type PointStatement } from '../aggregate.ts'
import { bucketLabel, type Alias } from '../local-time.ts'
import { plansOf, type MetricPlan } from '../metric-plan.ts'
import { rankOrder } from '../series/top-series.ts'
import { totalSets } from '../../../check/metric/series/totals.ts'

/** The column that says which metric a point is of. Only responses to requests with `metrics` have it. */
export const metricColumn = 'metric'

/** The column that says which set a point is in: the points of the response, or totals. Only requests with `totals` have it. */
const setColumn = 'answer_set'

/** The set of the points of the response. */
export const pointsSet = 'points'

/**
 * Selects the points of a response and its totals, up to `pointsMax` + 1: those of one metric, or those of every metric in the
 * order of the request. The limits on time and memory apply to all of them together, because they are one statement.
 */
export function answerStatement(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  pointsMax: number | null,
): PointStatement {
  const { each, totalPlans = [] } = plan
  if (each === undefined && totalPlans.length === 0) return pointStatement(database, plan, aggregation, pointsMax)
  const parts = [{ set: pointsSet, plan }, ...totalPlans].flatMap(({ set, plan: ofSet }) =>
    plansOf(ofSet).map((one) => ({
      set,
      metric: one.metric.key,
      isRanked: one.top !== undefined,
      ...pointStatement(database, one, one.aggregation ?? aggregation, pointsMax, one.top === undefined ? [] : [rank]),
    })),
  )
  const [{ columns } = { columns: [] }] = parts
  const keys: readonly Key[] = [
    ...(totalPlans.length === 0 ? [] : [{ name: setColumn, of: 'set' as const, order: [pointsSet, ...totalSets] }]),
    ...(each === undefined
      ? []
      : [{ name: metricColumn, of: 'metric' as const, order: each.map(({ metric }) => metric.key) }]),
  ]
  // Each part of the UNION ALL is a nested SELECT, because otherwise the aliases of the first part would also apply to the
  // second part.
  const selected = parts.map(({ query, columns: own, isRanked, ...part }) => {
    const named = keys.map(({ name, of }) => sql`${literal(part[of])} AS ${identifier(name)}`)
    const shown = columns.map((name) => (own.includes(name) ? identifier(name) : missing(name)))
    const ranks = plan.top === undefined ? [] : [isRanked ? identifier(rank.name) : sql`0 AS ${identifier(rank.name)}`]
    return sql`SELECT ${join([...named, ...shown, ...ranks], ', ')} FROM (\n${query}\n)`
  })
  const splits = columns.slice(0, plan.splits.length).map((name) => sql`${identifier(name)} ASC NULLS LAST`)
  const label = bucketLabel(aggregation)
  const order = [
    ...keys.map(({ name, order: all }) => sql`indexOf(${bind('Array(String)', all)}, ${identifier(name)})`),
    ...(plan.top === undefined ? splits : [identifier(rank.name)]),
    ...(label === null ? [] : [identifier(label.name)]),
  ]
  const all = plan.top === undefined ? sql`*` : sql`* EXCEPT (${identifier(rank.name)})`
  return {
    columns: [...keys.map(({ name }) => name), ...columns],
    query: sharingValues(sql`SELECT ${all} FROM (
${selected.reduce((sum, one) => sql`${sum}\nUNION ALL\n${one}`)}
)
ORDER BY ${join(order, ', ')}${limitOf(pointsMax)}`),
  }
}

/** The rank of a series with `top`. The parts of the statement have this column, but not the response. */
const rank: Alias = { name: 'top_rank', value: rankOrder }

/** A column that says where a point belongs, and its values in the order of the response. */
type Key = { readonly name: string; readonly of: 'set' | 'metric'; readonly order: readonly string[] }

/** A total has no value of a split, or no period. */
const missing = (name: string): Sql => sql`${name === 'partial' ? sql`false` : sql`NULL`} AS ${identifier(name)}`

const limitOf = (pointsMax: number | null): Sql =>
  pointsMax === null ? sql`` : sql`\nLIMIT ${bind('UInt32', pointsMax + 1)}`

type Keyed = Pick<MetricPlan, 'each' | 'splits'>

/** What distinguishes the series of a response: the metric, if the request has `metrics`, and the splits. */
export const seriesKeys = (plan: Keyed): readonly { readonly id: string }[] =>
  plan.each === undefined ? plan.splits : [{ id: metricColumn }, ...plan.splits]

/** What distinguishes the series of a statement: also the set, if the request has totals of their own. */
export const statementKeys = (plan: Keyed & Pick<MetricPlan, 'totalPlans'>): readonly { readonly id: string }[] =>
  plan.totalPlans === undefined || plan.totalPlans.length === 0
    ? seriesKeys(plan)
    : [{ id: setColumn }, ...seriesKeys(plan)]

/** The metrics of a request as a part of a file's name. */
export function metricsName(plan: MetricPlan): readonly string[] {
  const keys = plansOf(plan).map(({ metric }) => metric.key)
  return keys.length > namedMax ? [`${keys.length}_metrics`] : keys
}

/** A file's name has at most 255 bytes on most file systems. */
const namedMax = 3
