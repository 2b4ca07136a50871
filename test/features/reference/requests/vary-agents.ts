import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { metrics } from '../model/metrics.ts'
import { includes, type MetricRequest, type PerAgent, type Reaching } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import { Deck } from './deck.ts'

const statistics = ['mean', 'median', 'percentile', 'min', 'max', 'share', 'trimmedMean'] as const

export type AgentDecks = { dice: Dice; statistics: Deck<PerAgent['statistic']>; reaching: Deck<keyof Reaching> }

export const newAgentDecks = (dice: Dice): AgentDecks => ({
  dice,
  statistics: new Deck(dice, statistics),
  reaching: new Deck(dice, ['atLeast', 'above', 'below']),
})

/** Makes the points of some aggregated requests points about agents. */
export function varyAgents({ dice, ...decks }: AgentDecks, request: MetricRequest, anchor: Sample): MetricRequest {
  // Points about agents explain neither the prefilter nor coverage.
  const isAboutResults = includes(request, 'prefilter') || includes(request, 'coverage')
  if (request.chartType === 'raw' || isAboutResults || !chance(dice, 30)) return request
  const { intervals: _intervals, agent_agg: _agentAgg, ...rest } = request
  const reaching = chance(dice, 60) ? { reaching: { [decks.reaching.draw()]: boundNear(dice, anchor) } } : {}
  const metric = metrics[request.metric]
  if (metric === undefined || 'ratio' in metric) return { ...rest, ...rollMean(dice), ...reaching }
  return {
    ...rest,
    perAgent: { ...rollStatistic(dice, decks.statistics.draw(), anchor), ...rollMinimum(dice) },
    ...reaching,
  }
}

const rollMean = (dice: Dice): Pick<MetricRequest, 'agent_agg' | 'perAgent'> =>
  chance(dice, 30) ? { agent_agg: true } : { perAgent: { statistic: 'mean', ...rollMinimum(dice) } }

const rollMinimum = (dice: Dice): Pick<PerAgent, 'minimumResults'> =>
  chance(dice, 50) ? { minimumResults: dice.between(1, 6) } : {}

/** A bound that differs from every value, because rounding decides whether a computed value reaches an equal bound. */
export const boundNear = (dice: Dice, { value }: Sample): number =>
  Number(((value === 0 ? 1 : value) * (dice.between(60, 140) / 100 + 0.001_234_567)).toPrecision(9))

function rollStatistic(dice: Dice, statistic: PerAgent['statistic'], anchor: Sample): PerAgent {
  if (statistic === 'percentile') return { statistic, level: dice.pick([0, 5, 20, 33, 50, 80, 99, 100]) }
  if (statistic === 'share') {
    // Stored values are compared without rounding, so the bound may be one of them.
    const bound = chance(dice, 50) ? anchor.value : boundNear(dice, anchor)
    return chance(dice, 50) ? { statistic, atLeast: bound } : { statistic, below: bound }
  }
  if (statistic === 'trimmedMean')
    return {
      statistic,
      ...dice.pick([
        { low: 1, high: 99 },
        { low: 0, high: 80 },
        { low: 25, high: 75 },
      ]),
    }
  return { statistic }
}
