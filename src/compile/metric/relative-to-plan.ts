import { sql, type Sql } from '../../base/sql.ts'
import { explainsPrefilter } from '../../check/metric/point-statistics.ts'
import type { Alias } from './local-time.ts'
import { planSpeedAsOf, spanAttribute } from './metadata-as-of.ts'
import type { MetricPlan } from './metric-plan.ts'
import { over, type Step } from './statistics.ts'

type Relative = Pick<MetricPlan, 'relativeTo' | 'metric'>

export function planAliases(database: string, { metric, relativeTo }: Relative): readonly Alias[] {
  if (relativeTo === undefined || metric.plan === undefined) return []
  const plan = spanAttribute(database, 'package_id', sql`span`)
  return [{ name: 'plan_speed', value: planSpeedAsOf(database, metric.plan, plan) }]
}

export const hasPlan = sql`plan_speed > 0`

/**
 * In every point, the rows without a known plan form a group of their own, so that the statement can count them. The statement
 * then returns only the groups of rows with a known plan.
 */
export const planKeys = ({ relativeTo }: Relative): readonly Alias[] =>
  relativeTo === undefined ? [] : [{ name: 'has_plan', value: hasPlan }]

/**
 * Counts the rows without a known plan in each point. `keys` are the names of the keys of a point, except the key of
 * `planKeys`.
 */
export function planSteps(plan: MetricPlan, keys: readonly Sql[]): readonly Step[] {
  if (plan.relativeTo === undefined) return []
  const without = explainsPrefilter(plan) ? sql`NOT has_plan AND is_kept` : sql`NOT has_plan`
  // Points about agents leave out agents with few results. The count includes the results of these agents, because their plan
  // is also unknown.
  const results = plan.perAgent === undefined ? sql`sample_count` : sql`all_results`
  return [[{ name: 'results_without_plan', value: over(sql`sumIf(${results}, ${without})`, keys) }]]
}

/** The column that `relativeTo` adds to a point. */
export const planColumns = ({ relativeTo }: Relative): readonly Alias[] =>
  relativeTo === undefined ? [] : [{ name: 'resultsWithoutPlan', value: sql`results_without_plan` }]
