import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import { total, type Aggregation } from '../../catalog/aggregations.ts'
import { explainsPrefilter } from '../../check/metric/point-statistics.ts'
import { comparisonColumns, comparisonSteps } from './comparison/comparison.ts'
import { shownSides, sideBucket, sideKeys } from './comparison/sides.ts'
import { dimensionValue } from './dimension-value.ts'
import {
  otherColumns,
  rankedKey,
  rankedValue,
  rankingPlan,
  rankKeys,
  rankOrder,
  topSeries,
} from './series/top-series.ts'
import { withEmptyBuckets } from './series/empty-buckets.ts'
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
 * a truncated result. `ofOuter` are further columns, for a statement that contains this one.
 */
export function pointStatement(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  pointsMax: number | null,
  ofOuter: readonly Alias[] = [],
): PointStatement {
  const { splits, statistics, from } = shownPoints(database, plan, aggregation, pointsMax)
  const label = bucketLabel(aggregation)
  const columns = [
    ...splits,
    ...(label === null ? [] : [label]),
    ...statistics,
    ...comparisonColumns(plan),
    ...otherColumns(plan),
    ...(plan.whole === undefined ? [] : [{ name: 'partial', value: isPartial(aggregation, plan.whole) }]),
  ]
  const order = plan.top === undefined ? splits.map(({ name }) => sql`${identifier(name)} ASC NULLS LAST`) : [rankOrder]
  return {
    columns: columns.map(({ name }) => name),
    query: sql`${ranking(database, plan)}SELECT
  ${join([...columns, ...ofOuter].map(aliased), ',\n  ')}
${from}
ORDER BY ${join([...order, sql`bucket`], ', ')}${
      pointsMax === null
        ? sql``
        : sql`
LIMIT ${bind('UInt32', pointsMax + 1)}`
    }`,
  }
}

/** The definition of the ranks of series, if the request has `top`. */
function ranking(database: string, plan: MetricPlan): Sql {
  if (plan.top === undefined) return sql``
  const totals = rankingPlan(plan, plan.top)
  const { splits, from, statistics } = shownPoints(database, totals, total, null)
  return sql`WITH ${topSeries(plan, plan.top, { from, statistics, shown: splits.map(({ value }) => value) })}\n`
}

/** `from` is `FROM … WHERE …`: the points of a response. `splits` and `statistics` are their columns. */
type ShownPoints = { readonly splits: readonly Alias[]; readonly statistics: readonly Alias[]; readonly from: Sql }

function shownPoints(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  pointsMax: number | null,
): ShownPoints {
  const splits = plan.splits.map(({ source }, index) => ({
    name: `split${index + 1}`,
    ...dimensionValue(database, source),
  }))
  const keys = [
    { name: 'bucket', value: sideBucket(plan, aggregation) },
    ...splits.map(({ name, key }) => ({ name, value: rankedKey(plan, key) })),
    ...rankKeys(plan),
    ...sideKeys(plan),
  ]
  const grouped = groupedPoints(database, plan, aggregation, [...keys, ...planKeys(plan)])
  const { steps, afterwards, statistics, value } = grouped
  const names = keys.map(({ name }) => identifier(name))
  const points = steps.reduce(withStep, grouped.points)
  const filled = plan.emptyBuckets === true ? withEmptyBuckets(plan, aggregation, points, pointsMax) : points
  return {
    splits: splits.map(({ name, shown }) => ({
      name: `shown_${name}`,
      value: rankedValue(plan, shown(identifier(name))),
    })),
    statistics,
    from: sql`FROM (
${[...afterwards, ...planSteps(plan, names), ...comparisonSteps(database, plan, value)].reduce(withStep, filled)}
)${shownGroups(plan)}`,
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
 * `points`: a statement that groups rows by `keys`. `steps`: the steps that follow it. `afterwards`: the steps after these,
 * which accept groups without results. `statistics`: the columns of a point. `value`: the expression of `metricValue`.
 */
type Grouped = {
  readonly points: Sql
  readonly steps: readonly Step[]
  readonly afterwards: readonly Step[]
  readonly statistics: readonly Alias[]
  readonly value: Sql
}

function groupedPoints(database: string, plan: MetricPlan, aggregation: Aggregation, keys: readonly Alias[]): Grouped {
  if (plan.perAgent !== undefined) {
    const { points, steps } = agentPoints(database, plan, plan.perAgent, aggregation, keys)
    return {
      points,
      steps: [],
      afterwards: steps,
      statistics: agentColumns(plan),
      value: sql`mean`,
    }
  }
  const { points, spread, afterwards } =
    plan.rolled === undefined
      ? groupedResults(database, plan, aggregation, keys)
      : mergedPoints(database, plan, plan.rolled, aggregation, keys)
  const statistics = statisticColumns(plan, aggregation, spread)
  return { points, steps: spread.steps, afterwards, statistics, value: spread.metricValue }
}
