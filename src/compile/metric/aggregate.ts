import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { explainsPrefilter } from '../../check/metric/point-statistics.ts'
import { comparisonColumns, comparisonSteps } from './comparison/comparison.ts'
import { shownSides, sideBucket, sideKeys } from './comparison/sides.ts'
import { dimensionValue } from './dimension-value.ts'
import { bucketLabel, isPartial, type Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { groupedResults, withStep } from './grouped-points.ts'
import { agentColumns } from './per-agent/agent-columns.ts'
import { agentPoints } from './per-agent/agent-points.ts'
import type { Step } from './statistics.ts'
import { mergedPoints } from '../rollup/merged-points.ts'
import { aliased } from './samples.ts'
import { statisticColumns } from './point-columns.ts'
import { planKeys, planSteps } from './relative-to-plan.ts'

/** A statement, and the names of its columns in order: the splits, the label of the bucket, and the statistics. */
export type PointStatement = { readonly columns: readonly string[]; readonly query: Sql }

/**
 * Selects the points of a response, up to `pointsMax` + 1. If there is one point too many, the caller gets an error instead of
 * a truncated result.
 */
export function pointStatement(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  pointsMax: number | null,
): PointStatement {
  const splits = plan.splits.map(({ source }, index) => ({
    name: `split${index + 1}`,
    ...dimensionValue(database, source),
  }))
  const keys = [
    { name: 'bucket', value: sideBucket(plan, aggregation) },
    ...splits.map(({ name, key }) => ({ name, value: key })),
    ...sideKeys(plan),
  ]
  const { points, steps, statistics, value } = groupedPoints(database, plan, aggregation, [...keys, ...planKeys(plan)])
  const names = keys.map(({ name }) => identifier(name))
  const label = bucketLabel(aggregation)
  const columns = [
    ...splits.map(({ name, shown }) => ({ name: `shown_${name}`, value: shown(identifier(name)) })),
    ...(label === null ? [] : [label]),
    ...statistics,
    ...comparisonColumns(plan),
    ...(plan.whole === undefined ? [] : [{ name: 'partial', value: isPartial(aggregation, plan.whole) }]),
  ]
  const order = [...splits.map(({ name }) => sql`${identifier(`shown_${name}`)} ASC NULLS LAST`), sql`bucket`]
  return {
    columns: columns.map(({ name }) => name),
    query: sql`SELECT
  ${join(columns.map(aliased), ',\n  ')}
FROM (
${[...steps, ...planSteps(plan, names), ...comparisonSteps(database, plan, value)].reduce(withStep, points)}
)${shownGroups(plan)}
ORDER BY ${join(order, ', ')}${
      pointsMax === null
        ? sql``
        : sql`
LIMIT ${bind('UInt32', pointsMax + 1)}`
    }`,
  }
}

/**
 * Returns the WHERE clause that keeps the groups that the response shows as points. The clause removes three kinds of groups,
 * which earlier steps have already used: the base of a comparison, the rows without a known plan, and the rows that the
 * prefilter excludes.
 */
function shownGroups(plan: MetricPlan): Sql {
  const withPlan = planKeys(plan).map(({ name }) => identifier(name))
  // If the prefilter excludes every row of a point, the response contains the point without statistics.
  const kept = explainsPrefilter(plan) ? [sql`is_kept OR NOT has_kept`] : []
  const others = [...shownSides(plan), ...withPlan]
  const conditions = [...others, ...(others.length === 0 ? kept : kept.map((one) => sql`(${one})`))]
  return conditions.length === 0 ? sql`` : sql`\nWHERE ${join(conditions, ' AND ')}`
}

/**
 * `points`: a statement that groups rows by `keys`. `steps`: the steps that follow it. `statistics`: the columns of a point.
 * `value`: the expression of `metricValue`.
 */
type Grouped = {
  readonly points: Sql
  readonly steps: readonly Step[]
  readonly statistics: readonly Alias[]
  readonly value: Sql
}

function groupedPoints(database: string, plan: MetricPlan, aggregation: Aggregation, keys: readonly Alias[]): Grouped {
  if (plan.perAgent !== undefined) {
    return {
      ...agentPoints(database, plan, plan.perAgent, aggregation, keys),
      statistics: agentColumns(plan),
      value: sql`mean`,
    }
  }
  const { points, spread } =
    plan.rolled === undefined
      ? groupedResults(database, plan, aggregation, keys)
      : mergedPoints(database, plan, plan.rolled, aggregation, keys)
  const statistics = statisticColumns(plan, aggregation, spread)
  return { points, steps: spread.steps, statistics, value: spread.metricValue }
}
