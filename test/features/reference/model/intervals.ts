import type { Jackknife } from './jackknife.ts'
import { rightRules, type Rules } from './rules.ts'
import { sum } from './sums.ts'
import { tQuantile } from './t-quantiles.ts'

const levels = { ci90: 0.9, ci95: 0.95, ci99: 0.99 }
const normalQuantiles = { ci90: 1.6448536269514722, ci95: 1.959963984540054, ci99: 2.5758293035489004 }

export type Intervals = { ci90: number | null; ci95: number | null; ci99: number | null }

const each = (halfWidth: (key: keyof Intervals) => number | null): Intervals => ({
  ci90: halfWidth('ci90'),
  ci95: halfWidth('ci95'),
  ci99: halfWidth('ci99'),
})

/** The intervals that treat every result as independent: z·σ/√n. They are null for one sample. */
export const resultIntervals = (error: number, count: number): Intervals =>
  each((key) => (count < 2 ? null : normalQuantiles[key] * error))

export type AgentError = {
  agents: number
  standardError: number
  effectiveAgents: number
  degreesOfFreedom: number
  largestShare: number
}

/** The standard error of a statistic from the differences that leaving out each agent makes. */
export function agentError(jackknife: Jackknife, rules: Rules = rightRules): AgentError {
  const { differences, effectiveAgents, largestShare } = jackknife
  const agents = differences.length
  const factors = { jackknife: (agents - 1) / agents, 'without factor': 1, linearised: agents / (agents - 1) }
  const squares = sum(differences.map((difference) => difference ** 2))
  const exact = Math.max(1, (rules.degreesOfFreedom === 'of agents' ? agents : effectiveAgents) - 1)
  return {
    agents,
    standardError: agents < 2 ? 0 : Math.sqrt(factors[rules.variance] * squares),
    effectiveAgents,
    degreesOfFreedom: rules.degreesOfFreedom === 'rounded down' ? Math.floor(exact) : exact,
    largestShare,
  }
}

/** The intervals by agents: t·√V. They are null for one agent. */
export const agentIntervals = (
  { agents, standardError, degreesOfFreedom }: AgentError,
  rules: Rules = rightRules,
): Intervals =>
  each((key) => {
    if (agents < 2) return null
    return (
      standardError * (rules.interval === 'plain z' ? normalQuantiles[key] : tQuantile(levels[key], degreesOfFreedom))
    )
  })

/**
 * The intervals of a share of exactly 0 or 100 %, whose jackknife variance is 0: the distance to the other
 * Clopper–Pearson limit with K agents.
 */
export const extremeIntervals = ({ agents, effectiveAgents }: AgentError): Intervals =>
  each((key) => (agents < 2 ? null : 100 * (1 - ((1 - levels[key]) / 2) ** (1 / effectiveAgents))))

/** The numbers of agents with a numerator above 0 and with a denominator above the numerator. */
export type Outcomes = { failing: number; succeeding: number }

const fewAgents = 30
const dominantShare = 0.25
const fewOutcomes = 50

/** The reasons to be careful with an interval by agents. `outcomes` is absent for a mean. */
export function cautionsOf(error: AgentError, outcomes: Outcomes | undefined, rules: Rules = rightRules): string[] {
  const { agents, effectiveAgents, largestShare } = error
  const isFew = (rules.fewAgents === 'effective' ? effectiveAgents : agents) < fewAgents
  const fewest = outcomes === undefined ? Infinity : Math.min(outcomes.failing, outcomes.succeeding)
  return [
    ...(agents === 1 ? ['one_agent'] : []),
    ...(agents > 1 && isFew ? ['few_agents'] : []),
    ...(agents > 1 && largestShare > dominantShare ? ['dominated'] : []),
    ...(fewest < fewOutcomes && rules.fewFailures !== 'missing' ? ['few_failures'] : []),
  ]
}
