import { bind, identifier, join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import { own } from '../agent-sums.ts'
import type { Alias } from '../local-time.ts'
import { needsEachAgent } from '../../../check/metric/point-statistics.ts'
import type { MetricPlan } from '../metric-plan.ts'
import { inUnit, nullWhere, type Step } from '../statistics.ts'
import { tOf, type Confidence } from './t-quantiles.ts'

/**
 * The delete-one-agent jackknife: its intervals treat the agents of a point as independent, and not the results. Let θ₍ᵢ₎ be
 * the statistic without agent i. The variance is (m − 1) / m · Σ (θ₍ᵢ₎ − θ)². The degrees of freedom are K − 1, where K =
 * (Σw)² / Σw² is the effective number of agents, and w is the weight of an agent. docs/concepts.md says what the interval
 * promises.
 */
type Jackknife = {
  /** The sums of an agent that `difference` needs: `p.1`, `p.2`, … */
  readonly pairs: readonly string[]
  /** θ₍ᵢ₎ − θ as an expression over `p`, in the unit of the sums. */
  readonly difference: Sql
  /** Other sums over agents, which the second level computes. */
  readonly sums: readonly Alias[]
  /** `steps[i]` is computed together with step i of the statistics, and may use the aliases of the steps before it. */
  readonly steps: readonly Step[]
}

export function jackknife(plan: MetricPlan): Pick<Jackknife, 'sums' | 'steps'> {
  if (!needsEachAgent(plan)) return { sums: [], steps: [] }
  const { pairs, sums, steps } = jackknifeOf(plan)
  const each = sql`groupArray((${join([...pairs, ...(plan.compare === undefined ? [] : ['agent'])].map(own), ', ')}))`
  // A comparison adds up floating-point numbers in the order of `pairs`.
  const ordered = plan.compare === undefined ? each : sql`arraySort(p -> ${leaveOneOut(plan).agent}, ${each})`
  const outcomesOfAgents = plan.metric.measure.kind === 'ratio' ? outcomes(plan) : []
  return { sums: [{ name: 'pairs', value: ordered }, ...sums, ...outcomesOfAgents], steps }
}

const jackknifeOf = ({ normalised: isNormalised, metric: { measure } }: MetricPlan): Jackknife =>
  (isNormalised ? normalised : plain)[measure.kind]

/**
 * Returns two expressions over an item `p` of `pairs`. `difference`: the statistic without the agent of `p`, minus the
 * statistic of all agents. `agent`: the number of this agent.
 */
export function leaveOneOut(plan: MetricPlan): { readonly difference: Sql; readonly agent: Sql } {
  const { pairs, difference } = jackknifeOf(plan)
  return { difference, agent: sql`p.${numberLiteral(pairs.length + 1)}` }
}

/**
 * Sums `term` over the items `p` of an array. The terms are sorted, because the last digit of a floating-point sum depends on
 * their order. To sort the items themselves takes several times as long: they are tuples, some of them of arrays.
 */
export const sumInOrder = (term: Sql, items: Sql): Sql => sql`arraySum(arraySort(arrayMap(p -> ${term}, ${items})))`

const variance = (difference: Sql): Alias => ({
  name: 'agent_variance',
  value: sql`(agent_count - 1) / agent_count * ${sumInOrder(sql`pow(${difference}, 2)`, sql`pairs`)}`,
})

/** Returns the effective number of agents, and the degrees of freedom, which are not rounded to whole numbers. */
const effective = (agents: Sql): readonly Alias[] => [
  { name: 'effective_agents', value: agents },
  { name: 'freedom', value: sql`greatest(1, ${agents} - 1)` },
]

/** Returns sums of the agents' weights, if the weights are whole numbers. */
const wholeWeights = (name: string): readonly Alias[] => [
  { name: 'weight_squares', value: sql`sum(toInt256(${own(name)}) * ${own(name)})` },
  { name: 'largest_weight', value: sql`max(${own(name)})` },
]
const fromWholeWeights = (total: Sql): readonly Alias[] => [
  ...effective(sql`toFloat64(toInt256(${total}) * ${total}) / toFloat64(weight_squares)`),
  { name: 'largest_share', value: sql`toFloat64(largest_weight) / toFloat64(${total})` },
]
const fromWeights: readonly Alias[] = [
  ...effective(sql`pow(arraySum(agent_weights), 2) / arraySum(w -> w * w, agent_weights)`),
  { name: 'largest_share', value: sql`arrayMax(agent_weights) / arraySum(agent_weights)` },
]

/** The numerator of θ₍ᵢ₎ − θ is computed in whole numbers. */
export const plainDifference = {
  value: (total: Sql, count: Sql): Sql =>
    sql`toFloat64(toInt256(p.1) * ${total} - toInt256(p.2) * ${count}) / ${count} / (${count} - p.1)`,
  ratio: (total: Sql, count: Sql): Sql =>
    sql`100 * toFloat64(toInt256(p.1) * ${total} - toInt256(p.2) * ${count}) / toFloat64(${count}) / toFloat64(${count} - p.1)`,
}

const plainOf = (kind: 'value' | 'ratio', count: string, total: string): Jackknife => {
  const difference = plainDifference[kind](identifier(total), identifier(count))
  return {
    pairs: [count, total],
    difference,
    sums: wholeWeights(count),
    steps: [[variance(difference), ...fromWholeWeights(identifier(count))]],
  }
}

const plain: Record<'value' | 'ratio', Jackknife> = {
  value: plainOf('value', 'sample_count', 'total'),
  ratio: plainOf('ratio', 'denominators', 'numerators'),
}

/**
 * Sums `value` over the schedule blocks in which agents other than agent i have results too. Multiplies `value` by the hours
 * of the block, and divides it by the number of results of these other agents. A block in which only agent i has results adds
 * nothing. `if` would be many times slower here, because ClickHouse would evaluate its branches row by row.
 */
const overOthers = (names: Sql, value: Sql, arrays: Sql): Sql =>
  sql`arraySum((h, big, n${names}) -> (big > n) * h * ${value} / greatest(big - n, 1), each_hours, each_results, p.1${arrays})`

const normalisedDifference = {
  value: sql`${overOthers(
    sql`, t, y`,
    sql`(toFloat64(t - y - (big - n) * midst) - (big - n) * mean)`,
    sql`, each_total, p.2`,
  )} / arraySum((h, big, n) -> (big > n) * h, each_hours, each_results, p.1)`,
  ratio: sql`100 * ${overOthers(
    sql`, t, y, e, d`,
    sql`(toFloat64(t - y) - share * toFloat64(e - d))`,
    sql`, each_numerators, p.2, each_denominators, p.3`,
  )} / ${overOthers(sql`, e, d`, sql`toFloat64(e - d)`, sql`, each_denominators, p.3`)}`,
}

const normalised: Record<'value' | 'ratio', Jackknife> = {
  value: {
    pairs: ['each_results', 'each_total'],
    difference: normalisedDifference.value,
    sums: [],
    steps: [
      [],
      [
        {
          name: 'agent_weights',
          value: sql`arraySort(arrayMap(p -> arraySum((h, big, n) -> h * n / big, each_hours, each_results, p.1), pairs))`,
        },
      ],
      fromWeights,
      [variance(normalisedDifference.value)],
    ],
  },
  ratio: {
    pairs: ['each_results', 'each_numerators', 'each_denominators'],
    difference: normalisedDifference.ratio,
    sums: [],
    steps: [
      [],
      [
        {
          name: 'agent_weights',
          value: sql`arraySort(arrayMap(p -> arraySum((h, big, d) -> h / big * toFloat64(d), each_hours, each_results, p.3), pairs))`,
        },
      ],
      [...fromWeights, variance(normalisedDifference.ratio)],
    ],
  },
}

/** Returns two conditions on the results of one agent. `fails`: the agent has a failure. `passes`: the agent has a success. */
export function outcomesOfAgent({ normalised: isNormalised }: MetricPlan): {
  readonly fails: Sql
  readonly passes: Sql
} {
  const [failures, attempts] = isNormalised
    ? [sql`arraySum(${own('each_numerators')})`, sql`arraySum(${own('each_denominators')})`]
    : [own('numerators'), own('denominators')]
  return { fails: sql`${failures} > 0`, passes: sql`${attempts} > ${failures}` }
}

/** Returns two columns: the number of agents that have a failure, and the number of agents that have a success. */
function outcomes(plan: MetricPlan): readonly Alias[] {
  const { fails, passes } = outcomesOfAgent(plan)
  return [
    { name: 'failing_agents', value: sql`countIf(${fails})` },
    { name: 'passing_agents', value: sql`countIf(${passes})` },
  ]
}

/**
 * Returns the variance over agents. The variance of a normalised statistic is computed in floating point: if it is below the
 * rounding error of the values, the function returns 0.
 */
function agentVariance({ normalised: isNormalised, metric: { measure } }: MetricPlan): Sql {
  if (!isNormalised) return sql`agent_variance`
  const range = measure.kind === 'value' ? sql`(toFloat64(greatest) - toFloat64(least))` : sql`100`
  return sql`if(agent_variance < pow(1e-12 * ${range}, 2), 0, agent_variance)`
}

/** The standard error of the mean over agents, in the unit of the metric. */
export const agentError = (plan: MetricPlan): Sql => inUnit(plan, sql`sqrt(${agentVariance(plan)})`)

/** Returns a number of a point with several agents, and null for a point with one agent or without agents. */
export const ofAgents = (number: Sql): Sql => nullWhere(sql`agent_count < 2`, number)

/**
 * Returns the half-width of an interval. If a share is exactly 0 or 100 %, its variance is 0. The half-width is then the
 * distance to the far limit of Clopper and Pearson's interval for the effective number of agents.
 */
export function agentHalfWidth(plan: MetricPlan, confidence: Confidence): Sql {
  const halfWidth = sql`${tOf(confidence, sql`freedom`)} * ${agentError(plan)}`
  if (plan.metric.measure.kind === 'value') return ofAgents(halfWidth)
  return ofAgents(unlessExtreme(agentVariance(plan), confidence, halfWidth))
}

export function unlessExtreme(agents: Sql, { level }: Confidence, halfWidth: Sql): Sql {
  const tail = bind('Float64', (1 - level) / 2)
  const extreme = sql`${agents} = 0 AND (failing_agents = 0 OR passing_agents = 0)`
  return sql`if(${extreme}, 100 * (1 - pow(${tail}, 1 / effective_agents)), ${halfWidth})`
}

/** If fewer agents than this have a failure, or fewer have a success, the interval of a share is often too narrow. */
const outcomesMin = 50
/** If a point has fewer effective agents than this, its interval depends on the distribution of the agents' means. */
const agentsMin = 30
/** If one agent has more than this share of the weight, the point says more about this agent than about the panel. */
const shareMax = sql`0.25`
/** Weights of normalised points are rounded, so that equal weights can differ in the last digit. */
const rounding = sql`1e-12`

/** Names the reasons for caution with a point. */
export function caution({ metric: { measure }, perAgent }: MetricPlan): Sql {
  const few = bind('UInt8', outcomesMin)
  const reasons = [
    sql`if(agent_count = 1, 'one_agent', '')`,
    sql`if(agent_count > 1 AND effective_agents < ${bind('UInt8', agentsMin)} * (1 - ${rounding}), 'few_agents', '')`,
    // In a point about agents, every agent has the same weight.
    ...(perAgent === undefined
      ? [sql`if(agent_count > 1 AND largest_share > ${shareMax} * (1 + ${rounding}), 'dominated', '')`]
      : []),
    ...(measure.kind === 'value'
      ? []
      : [sql`if(failing_agents < ${few} OR passing_agents < ${few}, 'few_failures', '')`]),
  ]
  return sql`arrayFilter(reason -> reason != '', [${join(reasons, ', ')}])`
}
