import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { perAgentOf } from '../model/agent-points.ts'
import { filled } from '../model/presets.ts'
import type { Bins, MetricRequest } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import { Deck } from './deck.ts'
import { boundNear } from './vary-agents.ts'

export type DistributionDecks = { dice: Dice; levels: Deck<number>; bins: Deck<'log' | 'one' | 'several'> }

const levels = [0.1, 1, 2.5, 5, 12.5, 25, 33.333, 50, 66.6, 75, 90, 97.5, 99, 99.9, 99.999]

export const newDistributionDecks = (dice: Dice): DistributionDecks => ({
  dice,
  levels: new Deck(dice, levels),
  bins: new Deck(dice, ['log', 'one', 'several', 'several']),
})

/** Adds levels and a histogram to some aggregated requests. */
export function varyDistribution(decks: DistributionDecks, request: MetricRequest, anchor: Sample): MetricRequest {
  if (request.chartType === 'raw') return request
  const { dice } = decks
  const hasPercentiles = request.percentiles !== 'none' && (request.fields?.includes('percentiles') ?? true)
  const isAboutAgents = perAgentOf(filled(request)) !== undefined
  return {
    ...request,
    ...(hasPercentiles && chance(dice, 45) ? { percentileLevels: rollLevels(decks) } : {}),
    ...(chance(dice, 28) ? { histogram: rollBins(decks, anchor, isAboutAgents) } : {}),
  }
}

/** In any order. */
const rollLevels = ({ dice, levels: deck }: DistributionDecks): number[] => [
  ...new Set(Array.from({ length: dice.between(1, 6) }, () => deck.draw())),
]

function rollBins({ dice, bins }: DistributionDecks, anchor: Sample, isAboutAgents: boolean): Bins {
  const kind = bins.draw()
  if (kind === 'log') return { bins: 'log' }
  const count = kind === 'one' ? 1 : dice.between(2, 12)
  const edges = Array.from({ length: count }, () => boundNear(dice, anchor))
  // Stored values are compared without rounding, so an edge may be one of them. Values of agents may be rounded.
  const isStored = !isAboutAgents && chance(dice, 70)
  // Only the last edge belongs to the bin before it.
  const isLast = isStored && chance(dice, 60)
  const all = [...edges.filter((edge) => !isLast || edge < anchor.value), ...(isStored ? [anchor.value] : [])]
  return { edges: [...new Set(all)].toSorted((one, other) => one - other) }
}
