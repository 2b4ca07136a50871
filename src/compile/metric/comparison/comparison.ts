import { join, sql, type Sql } from '../../../base/sql.ts'
import { explainsPrefilter } from '../../../check/metric/point-statistics.ts'
import { leaveOneOut } from '../intervals/agent-intervals.ts'
import type { Alias } from '../local-time.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { inUnit, over, type Step } from '../statistics.ts'
import { matchedSteps } from './matched-agents.ts'
import { baseGroup } from './sides.ts'

/**
 * The numbers of a point that the service needs to compare the point with its base, in this order. `envelope/` computes
 * p-values from these numbers, because ClickHouse has no functions for them.
 *
 * Let θ₍ᵢ₎ be the statistic without agent i, and δᵢ = √((m − 1) / m) · (θ₍ᵢ₎ − θ). The variance of the difference between the
 * two sides of the comparison is Σ (δᵢ − δᵢ of the base)² over the agents of both sides. If a side does not have agent i, its
 * δᵢ is 0. `freedom` is the effective number of agents minus 1. `ratioVariance` is the variance of the logarithm of the ratio. `isUncompared` is 1 for the base itself, and for a
 * point of which the prefilter excludes every result.
 */
export const comparedNumbers = [
  'value',
  'baseValue',
  'agents',
  'baseAgents',
  'sharedAgents',
  'freedom',
  'baseFreedom',
  'ownVariance',
  'baseVariance',
  'variance',
  'ratioVariance',
  'isUncompared',
] as const

/** The column that contains these numbers. The service replaces them with the comparison. */
export const comparedColumn = 'compared'

export const comparisonColumns = ({ compare }: MetricPlan): readonly Alias[] =>
  compare === undefined ? [] : [{ name: comparedColumn, value: sql`compared_numbers` }]

/** Returns the steps that follow the steps of the statistics. `value` is the statistic, in the unit of the metric. */
export function comparisonSteps(database: string, plan: MetricPlan, value: Sql): readonly Step[] {
  const { compare } = plan
  if (compare === undefined) return []
  const { keys, isBase } = baseGroup(database, plan, compare)
  const ofBase = (column: Sql): Sql => over(sql`anyIf(${column}, ${isBase})`, keys)
  const isUncompared = explainsPrefilter(plan) ? sql`(${isBase} OR NOT is_kept)` : isBase
  const steps = compare.match === undefined ? unmatchedSteps(plan, value, ofBase) : matchedSteps(plan, ofBase)
  return [...steps, [{ name: 'compared_numbers', value: numbersOf(isUncompared) }]]
}

const numbersOf = (isUncompared: Sql): Sql => {
  const columns: Readonly<Record<(typeof comparedNumbers)[number], Sql>> = {
    value: sql`own_side.1`,
    baseValue: sql`base_side.1`,
    agents: sql`own_side.2`,
    baseAgents: sql`base_side.2`,
    sharedAgents: sql`shared_agents`,
    freedom: sql`own_side.3`,
    baseFreedom: sql`base_side.3`,
    ownVariance: squares(sql`own_side.5`),
    baseVariance: squares(sql`base_side.5`),
    variance: squares(sql`changes.1`),
    ratioVariance: squares(sql`changes.2`),
    isUncompared,
  }
  return sql`[${join(
    comparedNumbers.map((name) => sql`toFloat64(${columns[name]})`),
    ', ',
  )}]`
}

const squares = (values: Sql): Sql => sql`arraySum(d -> d * d, ${values})`

/**
 * `own_side` and `base_side` are tuples of the value, the number of agents, the effective number of agents minus 1, the
 * list of the agents, and the list of their δ. If a point has no base, `base_side` has default values, with 0 agents.
 */
const unmatchedSteps = (plan: MetricPlan, value: Sql, ofBase: (column: Sql) => Sql): readonly Step[] => [
  [
    {
      name: 'own_side',
      value: sql`(toFloat64(${value}), agent_count, effective_agents - 1, ${agentsAndChanges(plan)})`,
    },
  ],
  [{ name: 'base_side', value: ofBase(sql`own_side`) }],
  [
    { name: 'shared_agents', value: sql`length(arrayIntersect(own_side.4, base_side.4))` },
    { name: 'changes', value: changesOfBoth },
  ],
]

/**
 * For each agent, `sumMap` adds up its δ and its negated δ of the base. It returns the sums in the order of the agents'
 * numbers, and leaves out an agent whose sums are 0, because this agent adds nothing to a variance.
 */
const changesOfBoth = sql`arrayMap(sums -> (sums.2, sums.3), [arrayReduce('sumMap', [arrayConcat(own_side.4, base_side.4)], [arrayConcat(own_side.5, arrayMap(d -> -d, base_side.5))], [arrayConcat(arrayMap(d -> d / own_side.1, own_side.5), arrayMap(d -> -d / base_side.1, base_side.5))])])[1]`

function agentsAndChanges(plan: MetricPlan): Sql {
  if (plan.perAgent !== undefined) {
    return sql`arrayMap(p -> p.2, pairs), arrayMap(p -> (mean - p.1) / sqrt(agent_count * (toFloat64(agent_count) - 1)), pairs)`
  }
  const { difference, agent } = leaveOneOut(plan)
  const change = sql`(sqrt((agent_count - 1) / agent_count) * (${difference}))`
  return sql`arrayMap(p -> ${agent}, pairs), arrayMap(p -> toFloat64(${inUnit(plan, change)}), pairs)`
}
