import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { hourAt, weekdayAt } from '../model/clock.ts'
import type { MetricRequest } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import { Deck } from './deck.ts'

type Kind = 'none' | 'weekdays' | 'hours' | 'both'

export type WindowDecks = { dice: Dice; kinds: Deck<Kind>; kindsWithPeak: Deck<Kind> }

export const newWindowDecks = (dice: Dice): WindowDecks => ({
  dice,
  kinds: new Deck<Kind>(dice, ['none', 'none', 'none', 'none', 'none', 'none', 'weekdays', 'hours', 'both']),
  // In a request that splits or filters by `peak`, a window defines it.
  kindsWithPeak: new Deck<Kind>(dice, ['none', 'hours', 'none', 'both', 'weekdays', 'none']),
})

/** Most windows contain the anchor. */
export function rollWindow(
  { dice, kinds, kindsWithPeak }: WindowDecks,
  { located: { localMs } }: Sample,
  asksForPeak: boolean,
): Pick<MetricRequest, 'window'> {
  const kind = (asksForPeak ? kindsWithPeak : kinds).draw()
  if (kind === 'none') return {}
  const listOf = (own: number, least: number, most: number): number[] => {
    const others = Array.from({ length: dice.between(1, most - 1) }, () => dice.between(least, most))
    return [...new Set([...others, ...(chance(dice, 97) ? [own] : [])])]
  }
  return {
    window: {
      ...(kind === 'hours' ? {} : { weekdays: listOf(weekdayAt(localMs), 1, 7) }),
      ...(kind === 'weekdays' ? {} : { hours: listOf(hourAt(localMs), 0, 23) }),
    },
  }
}
