/** Divides agents into random halves, and counts how often two halves differ by more than their intervals allow. */
import { leaveOneOut } from '../interval-coverage/count-coverage.ts'
import { agentError, agentIntervals, resultIntervals } from '../../test/features/reference/model/intervals.ts'
import type { Dice } from '../../test/faults/dice.ts'

/** The results of one agent, as a point of this agent gives them. */
export type AgentPoint = {
  readonly agent: string
  readonly sampleCount: number
  readonly metricValue: number
  readonly stdDev: number
}

/** The mean of some agents, and the half-widths (95 %) of its two kinds of intervals. */
export type Mean = { readonly value: number; readonly byAgents: number; readonly byResults: number }

export type Draw = { readonly halves: readonly (readonly AgentPoint[])[]; readonly means: readonly Mean[] }

function meanOf(points: readonly AgentPoint[]): Mean {
  const sums = points.map(({ sampleCount, metricValue }) => ({ results: sampleCount, sum: sampleCount * metricValue }))
  const { results, mean, jackknife } = leaveOneOut(sums, 1)
  const squares = points.reduce(
    (sum, { sampleCount, metricValue, stdDev }) => sum + sampleCount * (stdDev ** 2 + (metricValue - mean) ** 2),
    0,
  )
  return {
    value: mean,
    byAgents: agentIntervals(agentError(jackknife)).ci95 ?? NaN,
    byResults: resultIntervals(Math.sqrt(squares) / results, results).ci95 ?? NaN,
  }
}

export function drawHalves(dice: Dice, points: readonly AgentPoint[]): Draw {
  const shuffled = points.map((point) => ({ point, order: dice.between(0, 2 ** 31) })).toSorted(byOrder)
  const middle = Math.floor(shuffled.length / 2)
  const halves = [shuffled.slice(0, middle), shuffled.slice(middle)].map((half) => half.map(({ point }) => point))
  return { halves, means: halves.map(meanOf) }
}

const byOrder = (one: { order: number }, other: { order: number }): number => one.order - other.order

/** True if the difference of two means is larger than the interval of a difference of independent means. */
export function differs([one, other]: readonly Mean[], interval: 'byAgents' | 'byResults'): boolean {
  if (one === undefined || other === undefined) throw new Error('a draw has two halves')
  return Math.abs(one.value - other.value) > Math.hypot(one[interval], other[interval])
}
