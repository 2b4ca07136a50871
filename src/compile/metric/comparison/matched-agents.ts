import { named, sql, type Sql } from '../../../base/sql.ts'
import { explainsPrefilter } from '../../../check/metric/point-statistics.ts'
import { leaveOneOut, plainDifference } from '../intervals/agent-intervals.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { inUnit, type Step } from '../statistics.ts'

/**
 * Returns the steps of a comparison that counts only the agents that are on both of its sides. The steps compute the
 * statistics of both sides again, from the sums of these agents. They give the same columns as `unmatchedSteps`.
 */
export function matchedSteps(plan: MetricPlan, ofBase: (column: Sql) => Sql): readonly Step[] {
  const { agent } = plan.perAgent === undefined ? leaveOneOut(plan) : { agent: sql`p.2` }
  // In the group of the rows that the prefilter removes, an agent has a pair for each combination of rules. No point shows a
  // comparison of this group.
  const ownPairs = explainsPrefilter(plan) ? sql`arrayFilter(p -> is_kept, pairs)` : sql`pairs`
  return [
    [{ name: 'base_pairs', value: ofBase(sql`pairs`) }],
    [
      {
        name: 'both',
        value: sql`arraySort(s -> s.1, arrayConcat(arrayMap(p -> (${agent}, toUInt8(0), p), base_pairs), arrayMap(p -> (${agent}, toUInt8(1), p), ${ownPairs})))`,
      },
    ],
    [{ name: 'both_agents', value: sql`arrayMap(s -> toInt64(s.1), both)` }],
    [
      {
        name: 'shared_pairs',
        value: sql`arrayFilter((s, previous, next) -> s.1 = previous OR s.1 = next, both, arrayShiftRight(both_agents, 1, -1), arrayShiftLeft(both_agents, 1, -1))`,
      },
    ],
    // Both lists are sorted by agent, so the same position is the same agent.
    [
      { name: 'base_matched', value: ofSide(sql`0`) },
      { name: 'own_matched', value: ofSide(sql`1`) },
    ],
    [
      { name: 'base_sums', value: sumsOf(plan, sql`base_matched`) },
      { name: 'own_sums', value: sumsOf(plan, sql`own_matched`) },
    ],
    [
      { name: 'base_side', value: sideOf(plan, agent, sql`base_matched`, sql`base_sums`) },
      { name: 'own_side', value: sideOf(plan, agent, sql`own_matched`, sql`own_sums`) },
    ],
    [
      { name: 'shared_agents', value: sql`length(own_matched)` },
      {
        name: 'changes',
        value: sql`(arrayMap((a, b) -> b - a, base_side.5, own_side.5), arrayMap((a, b) -> b / own_side.1 - a / base_side.1, base_side.5, own_side.5))`,
      },
    ],
  ]
}

const ofSide = (side: Sql): Sql => sql`arrayMap(s -> s.3, arrayFilter(s -> s.2 = ${side}, shared_pairs))`

/**
 * Returns the sums of one side of the comparison as a tuple. For points about agents, the tuple contains only the mean of the
 * agents' values, which is computed relative to the first value.
 */
const sumsOf = ({ perAgent }: MetricPlan, pairs: Sql): Sql =>
  perAgent === undefined
    ? sql`(arrayReduce('sum', arrayMap(p -> p.1, ${pairs})), arrayReduce('sum', arrayMap(p -> p.2, ${pairs})), arrayReduce('sum', arrayMap(p -> toInt256(p.1) * p.1, ${pairs})))`
    : sql`tuple(${named('first', sql`${pairs}[1].1`, (first) => sql`${first} + arraySum(p -> p.1 - ${first}, ${pairs}) / length(${pairs})`)})`

function sideOf(plan: MetricPlan, agent: Sql, pairs: Sql, sums: Sql): Sql {
  const agents = sql`arrayMap(p -> ${agent}, ${pairs})`
  const count = sql`toFloat64(length(${pairs}))`
  if (plan.perAgent !== undefined) {
    const changes = sql`arrayMap(p -> (${sums}.1 - p.1) / sqrt(${count} * (${count} - 1)), ${pairs})`
    return sql`(${sums}.1, ${count}, ${count} - 1, ${agents}, ${changes})`
  }
  const { kind } = plan.metric.measure
  const [results, total] = [sql`${sums}.1`, sql`${sums}.2`]
  const value =
    kind === 'value'
      ? inUnit(plan, sql`toFloat64(${total}) / ${results}`)
      : sql`100 * toFloat64(${total}) / toFloat64(${results})`
  const freedom = sql`(toFloat64(toInt256(${results}) * ${results}) / toFloat64(${sums}.3) - 1)`
  const difference = plainDifference[kind](total, results)
  const change = sql`(sqrt((${count} - 1) / ${count}) * (${difference}))`
  return sql`(toFloat64(${value}), ${count}, ${freedom}, ${agents}, arrayMap(p -> toFloat64(${inUnit(plan, change)}), ${pairs}))`
}
