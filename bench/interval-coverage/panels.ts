/** Simulates panels. An interval needs only the sums of each agent, so the simulation generates these sums and no results. */
import type { Random } from './random.ts'

/** The sums of one agent: the number of its results, and the sum of their values or the number of failures among them. */
export type AgentSums = { results: number; sum: number }

export type Panel = {
  agents: AgentSums[]
  /** The sum of the squared differences between the results of an agent and the mean of this agent, over all agents. */
  squaresWithin: number
  /** The value that an interval of this panel should contain. */
  truth: number
}

export const resultsPerAgent = {
  equal: () => 1,
  Poisson: (random: Random, mean: number) => random.poisson(mean) / mean,
  'log-normal': (random: Random) => random.logNormal(1),
  'one tests 50×': (_: Random, __: number, agent: number) => (agent === 0 ? 50 : 1),
} satisfies Record<string, (random: Random, mean: number, agent: number) => number>

export type Pattern = keyof typeof resultsPerAgent

/** The mean of an agent, divided by the mean of all agents of the population. */
export const agentMeans = {
  normal: (random: Random) => 1 + 0.2 * random.normal(),
  'log-normal': (random: Random) => random.logNormal(0.5),
  'four plans': (random: Random) => planOf(random) * (1 + 0.2 * random.normal()),
} satisfies Record<string, (random: Random) => number>

export type Spread = keyof typeof agentMeans

/** The speeds of four plans, and the fraction of the agents that have each plan. */
const plans = [
  { speed: 40, fraction: 0.35 },
  { speed: 80, fraction: 0.35 },
  { speed: 300, fraction: 0.2 },
  { speed: 1000, fraction: 0.1 },
]
const meanSpeed = plans.reduce((total, { speed, fraction }) => total + speed * fraction, 0)

function planOf({ uniform }: Random): number {
  let left = uniform()
  const plan = plans.find(({ fraction }) => (left -= fraction) < 0) ?? plans.at(-1)
  return (plan?.speed ?? NaN) / meanSpeed
}

/** The standard deviation of results from the mean of their agent, divided by the mean of all agents. */
const within = 0.1
const meanResults = 30

/** Simulates a panel of agents with different means. */
export function meanPanel(random: Random, spread: Spread, pattern: Pattern, count: number): Panel {
  const agents = Array.from({ length: count }, (_, agent) => {
    const results = countOf(random, pattern, meanResults, agent)
    return { results, sum: results * agentMeans[spread](random) + Math.sqrt(results) * within * random.normal() }
  })
  // χ² with many degrees of freedom is nearly normal.
  const degrees = agents.reduce((total, { results }) => total + results - 1, 0)
  const squaresWithin = within ** 2 * Math.max(0, degrees + Math.sqrt(2 * degrees) * random.normal())
  return { agents, squaresWithin, truth: 1 }
}

/** Number of attempts of each agent, for example three a day for a month. */
const meanAttempts = 100
/** How much the failure rate differs between agents. */
const rateSigma = 1

/** Simulates a panel whose results are successes or failures. `share` is the mean failure rate. */
export function sharePanel(random: Random, share: number, pattern: Pattern, count: number): Panel {
  const agents = Array.from({ length: count }, (_, agent) => {
    const results = countOf(random, pattern, meanAttempts, agent)
    return { results, sum: Math.min(results, random.poisson(results * share * random.logNormal(rateSigma))) }
  })
  return { agents, squaresWithin: 0, truth: share }
}

const countOf = (random: Random, pattern: Pattern, mean: number, agent: number): number =>
  Math.max(1, Math.round(mean * resultsPerAgent[pattern](random, mean, agent)))
