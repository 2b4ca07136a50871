/**
 * Counts in how many simulated panels the 95 % interval contains the true value, for both kinds of interval: `intervals:
 * "agents"` and `intervals: "results"`.
 */
import {
  agentError,
  agentIntervals,
  cautionsOf,
  extremeIntervals,
  resultIntervals,
} from '../../test/features/reference/model/intervals.ts'
import type { Jackknife } from '../../test/features/reference/model/jackknife.ts'
import { meanPanel, sharePanel, type AgentSums, type Panel, type Pattern, type Spread } from './panels.ts'
import { seededRandom, type Random } from './random.ts'

/** The percentage of panels whose 95 % interval contains the true value, for each kind of interval. */
export type Coverage = { byAgents: number; byResults: number }

/**
 * The coverage of a ratio. `marked` is the percentage of panels whose point has the caution `few_failures`. `ofMarked` and
 * `ofUnmarked` are the coverage with and without this caution, or null if there are too few such panels.
 */
export type ShareCoverage = Coverage & { marked: number; ofMarked: number | null; ofUnmarked: number | null }

type Outcome = { byAgents: boolean; byResults: boolean; isMarked: boolean }

export function meanCoverage(spread: Spread, pattern: Pattern, count: number, panels: number, seed: number): Coverage {
  const outcomes = simulate(panels, seed, (random) => meanOutcome(meanPanel(random, spread, pattern, count)))
  return coverageOf(outcomes)
}

export function shareCoverage(
  share: number,
  pattern: Pattern,
  count: number,
  panels: number,
  seed: number,
): ShareCoverage {
  const outcomes = simulate(panels, seed, (random) => shareOutcome(sharePanel(random, share, pattern, count)))
  const [marked, unmarked] = [true, false].map((isMarked) =>
    outcomes.filter((outcome) => outcome.isMarked === isMarked),
  )
  return {
    ...coverageOf(outcomes),
    marked: (100 * (marked?.length ?? 0)) / panels,
    ofMarked: percentOf(marked ?? [], ({ byAgents }) => byAgents),
    ofUnmarked: percentOf(unmarked ?? [], ({ byAgents }) => byAgents),
  }
}

function simulate(panels: number, seed: number, outcome: (random: Random) => Outcome): Outcome[] {
  const random = seededRandom(seed)
  return Array.from({ length: panels }, () => outcome(random))
}

const coverageOf = (outcomes: readonly Outcome[]): Coverage => ({
  byAgents: percentOf(outcomes, ({ byAgents }) => byAgents) ?? NaN,
  byResults: percentOf(outcomes, ({ byResults }) => byResults) ?? NaN,
})

/** The minimum number of panels from which a percentage is computed. */
const panelsMin = 100

const percentOf = (outcomes: readonly Outcome[], holds: (outcome: Outcome) => boolean): number | null =>
  outcomes.length < panelsMin ? null : (100 * outcomes.filter(holds).length) / outcomes.length

function meanOutcome({ agents, squaresWithin, truth }: Panel): Outcome {
  const { results, mean, jackknife } = leaveOneOut(agents, 1)
  const squares = agents.reduce((sum, agent) => sum + agent.results * (agent.sum / agent.results - mean) ** 2, 0)
  const deviation = Math.sqrt((squares + squaresWithin) / results)
  const error = Math.abs(mean - truth)
  return {
    byAgents: error <= (agentIntervals(agentError(jackknife)).ci95 ?? NaN),
    byResults: error <= (resultIntervals(deviation / Math.sqrt(results), results).ci95 ?? NaN),
    isMarked: false,
  }
}

function shareOutcome(panel: Panel): Outcome {
  const { results, mean, jackknife } = leaveOneOut(panel.agents, 100)
  const described = agentError(jackknife)
  const isExtreme = mean === 0 || mean === 100
  const plain = Math.sqrt((mean * (100 - mean)) / results)
  const error = Math.abs(mean - 100 * panel.truth)
  const outcomes = {
    failing: panel.agents.filter(({ sum }) => sum > 0).length,
    succeeding: panel.agents.filter((agent) => agent.results > agent.sum).length,
  }
  return {
    byAgents: error <= ((isExtreme ? extremeIntervals(described) : agentIntervals(described)).ci95 ?? NaN),
    byResults: error <= (resultIntervals(plain, results).ci95 ?? NaN),
    isMarked: cautionsOf(described, outcomes).includes('few_failures'),
  }
}

/** The mean of all results, multiplied by `unit`, and by how much it changes without each agent. */
export function leaveOneOut(
  agents: readonly AgentSums[],
  unit: number,
): { results: number; mean: number; jackknife: Jackknife } {
  const results = agents.reduce((total, agent) => total + agent.results, 0)
  const sum = agents.reduce((total, agent) => total + agent.sum, 0)
  const squares = agents.reduce((total, agent) => total + agent.results ** 2, 0)
  const largest = agents.reduce((most, agent) => Math.max(most, agent.results), 0)
  const jackknife = {
    differences: agents.map(
      (agent) => (unit * (sum * agent.results - agent.sum * results)) / (results * (results - agent.results)),
    ),
    effectiveAgents: results ** 2 / squares,
    largestShare: largest / results,
  }
  return { results, mean: (unit * sum) / results, jackknife }
}
