import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { dimensionValue } from './dimension-value.ts'
import { bucketLabel, bucketOf, type Alias } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { normalisedPoints, plainPoints, type GroupedPoints } from './grouped-points.ts'
import { mergedPoints } from '../rollup/merged-points.ts'
import { aliased } from './samples.ts'
import { statisticColumns, type Step } from './statistics.ts'

/** A statement and the columns of its rows, in order: the splits, the label of the bucket, the statistics. */
export type PointStatement = { readonly columns: readonly string[]; readonly query: Sql }

/** The points of an answer; with `pointsMax` one more than it may have: too many are noticed, and never cut off. */
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
    { name: 'bucket', value: bucketOf(aggregation) },
    ...splits.map(({ name, key }) => ({ name, value: key })),
  ]
  const { points, spread } = groupedPoints(database, plan, aggregation, keys)
  const label = bucketLabel(aggregation)
  const columns = [
    ...splits.map(({ name, shown }) => ({ name: `shown_${name}`, value: shown(identifier(name)) })),
    ...(label === null ? [] : [label]),
    ...statisticColumns(plan, spread),
  ]
  const order = [...splits.map(({ name }) => sql`${identifier(`shown_${name}`)} ASC NULLS LAST`), sql`bucket`]
  return {
    columns: columns.map(({ name }) => name),
    query: sql`SELECT
  ${join(columns.map(aliased), ',\n  ')}
FROM (
${spread.steps.reduce(withStep, points)}
)
ORDER BY ${join(order, ', ')}${
      pointsMax === null
        ? sql``
        : sql`
LIMIT ${bind('UInt32', pointsMax + 1)}`
    }`,
  }
}

function groupedPoints(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  keys: readonly Alias[],
): GroupedPoints {
  if (plan.percentiles === 'sketch' || plan.rolled !== undefined) return mergedPoints(database, plan, aggregation, keys)
  return plan.normalised ? normalisedPoints(database, plan, aggregation, keys) : plainPoints(database, plan, keys)
}

/** A level of its own for each step: the engine writes out a name wherever it is used, and long chains grow beyond measure. */
const withStep = (from: Sql, step: Step): Sql => sql`SELECT *,
  ${join(step.map(aliased), ',\n  ')}
FROM (
${from}
)`
