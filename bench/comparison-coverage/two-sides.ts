/** Simulates two periods of a panel, and computes from them what ClickHouse computes from results. */
import httpget from '../../src/catalog/metrics/httpget.ts'
import { comparisons, type Comparison, type Numbers } from '../../src/envelope/comparison.ts'
import { leaveOneOut } from '../interval-coverage/count-coverage.ts'
import type { AgentSums } from '../interval-coverage/panels.ts'
import type { Random } from '../interval-coverage/random.ts'

/** The sums of one agent in each period; null in a period that does not have the agent. */
type Agent = { base: AgentSums | null; own: AgentSums | null }

export type Sharing = 'none' | 'half' | 'all'
export type Results = 'equal' | 'log-normal'

const mean = 100
const spreadOfAgents = 20
const spreadOfChanges = 3
const spreadOfResults = 10
const resultsOfAgent = 6

/** `count` agents in each period. `change` is the mean change of an agent from the first period to the second. */
export function twoPeriods(random: Random, count: number, sharing: Sharing, results: Results, change: number): Agent[] {
  const shared = { none: 0, half: count / 2, all: count }[sharing]
  return Array.from({ length: 2 * count - shared }, (_, index): Agent => {
    const level = mean + spreadOfAgents * random.normal()
    const ownChange = change + spreadOfChanges * random.normal()
    const sums = (value: number): AgentSums => {
      const factor = results === 'equal' ? 1 : random.logNormal(1)
      const number = Math.max(1, Math.round(resultsOfAgent * factor))
      return { results: number, sum: number * value + Math.sqrt(number) * spreadOfResults * random.normal() }
    }
    return {
      base: index < count ? sums(level) : null,
      own: index >= count - shared ? sums(level + ownChange) : null,
    }
  })
}

type Side = { value: number; agents: number; freedom: number; variance: number; changes: number[] }

/** δ of each agent of the panel: 0 for an agent that the side does not have. */
function sideOf(agents: readonly (AgentSums | null)[]): Side {
  const present = agents.filter((one) => one !== null)
  const { mean: value, jackknife } = leaveOneOut(present, 1)
  const factor = Math.sqrt((present.length - 1) / present.length)
  const differences = jackknife.differences.values()
  const changes = agents.map((one) => (one === null ? 0 : factor * (differences.next().value ?? NaN)))
  const variance = changes.reduce((sum, one) => sum + one ** 2, 0)
  return { value, agents: present.length, freedom: Math.max(1, jackknife.effectiveAgents - 1), variance, changes }
}

export function numbersOf(agents: readonly Agent[], perAgent: boolean): Numbers {
  const single = (one: AgentSums | null) => (one === null ? null : { results: 1, sum: one.sum / one.results })
  const valueOf = (one: AgentSums | null) => (perAgent ? single(one) : one)
  const base = sideOf(agents.map((agent) => valueOf(agent.base)))
  const own = sideOf(agents.map((agent) => valueOf(agent.own)))
  const sumOf = (square: (own: number, base: number) => number): number =>
    own.changes.reduce((sum, one, index) => sum + square(one, base.changes[index] ?? NaN), 0)
  return {
    value: own.value,
    baseValue: base.value,
    agents: own.agents,
    baseAgents: base.agents,
    sharedAgents: agents.filter((agent) => agent.base !== null && agent.own !== null).length,
    freedom: own.freedom,
    baseFreedom: base.freedom,
    ownVariance: own.variance,
    baseVariance: base.variance,
    variance: sumOf((one, other) => (one - other) ** 2),
    ratioVariance: sumOf((one, other) => (one / own.value - other / base.value) ** 2),
    isUncompared: 0,
  }
}

/** The same numbers, as if no agent were in both periods. */
export const asIndependent = (numbers: Numbers): Numbers => ({
  ...numbers,
  sharedAgents: 0,
  variance: numbers.ownVariance + numbers.baseVariance,
})

export const compared = (points: readonly Numbers[]): readonly (Comparison | null)[] =>
  comparisons({ metric: httpget }, { alpha: 0.05 }, points)
