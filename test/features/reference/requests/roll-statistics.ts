import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { pointFields, type Inclusion, type MetricRequest, type PointField } from '../model/request.ts'
import { Deck } from './deck.ts'

type Uncertainty = Pick<MetricRequest, 'intervals' | 'include'>
type Explanation = ('prefilter' | 'coverage')[]
type Steps = Pick<MetricRequest, 'aggregation' | 'prefilter'>
type Statistics = Uncertainty & Pick<MetricRequest, 'percentiles' | 'fields'>

const uncertainties = [{}, {}, { intervals: 'agents' }, { intervals: 'results' }].flatMap(
  (intervals): Uncertainty[] => [intervals as Uncertainty, { ...intervals, include: ['uncertainty'] } as Uncertainty],
)

/** Additions to a point if there is a prefilter. Only a prefilter that is applied can be explained. */
const explanations: Explanation[] = [[], ['prefilter'], ['coverage'], ['prefilter', 'coverage']]
const explanationsUnfiltered: Explanation[] = [[], [], ['coverage']]

export type StatisticsDecks = {
  fields: Deck<PointField>
  uncertainties: Deck<Uncertainty>
  /** One deck for each aggregation with and without a prefilter, so that each of them has every explanation. */
  explanations: Map<string, Deck<Explanation>>
}

export const newStatisticsDecks = (dice: Dice): StatisticsDecks => ({
  fields: new Deck(dice, pointFields),
  uncertainties: new Deck(dice, uncertainties),
  explanations: new Map(),
})

function drawExplanation(dice: Dice, { explanations: decks }: StatisticsDecks, { aggregation, prefilter }: Steps) {
  const key = `${aggregation} ${prefilter}`
  const deck = decks.get(key) ?? new Deck(dice, prefilter ? explanations : explanationsUnfiltered)
  decks.set(key, deck)
  return deck.draw()
}

/** Raw points can explain the prefilter only. */
export const rollRawStatistics = (dice: Dice, { prefilter }: Steps): Pick<MetricRequest, 'include'> =>
  prefilter && chance(dice, 60) ? { include: ['prefilter'] } : {}

/** Which statistics an aggregated request asks for. Most requests ask for all fields of a point. */
export function rollStatistics(dice: Dice, decks: StatisticsDecks, steps: Steps): Statistics {
  const percentiles = chance(dice, 12) ? dice.pick(['exact', 'none', 'none'] as const) : undefined
  const isListable = (field: PointField): boolean =>
    percentiles !== 'none' || (field !== 'median' && field !== 'percentiles')
  const listed = chance(dice, 30)
    ? Array.from({ length: dice.between(1, 7) }, () => decks.fields.draw(isListable)).filter(isListable)
    : []
  const { include: uncertainty = [], ...intervals } = decks.uncertainties.draw()
  const explanation = drawExplanation(dice, decks, steps)
  const include: Inclusion[] = dice.pick([
    [...uncertainty, ...explanation],
    [...explanation, ...uncertainty],
  ])
  return {
    ...intervals,
    ...(include.length > 0 ? { include } : {}),
    ...(percentiles === undefined ? {} : { percentiles }),
    ...(listed.length > 0 ? { fields: [...new Set(listed)] } : {}),
  }
}
