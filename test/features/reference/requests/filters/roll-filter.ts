import type { Dice } from '../../../../faults/dice.ts'
import type { Filter } from '../../model/filters/filter.ts'
import { keepsBy } from '../../model/filters/keeps-by.ts'
import { rightRules } from '../../model/rules.ts'
import { Deck } from '../deck.ts'
import { filterTypes, rollCondition, type Around, type Source } from './roll-condition.ts'

type Group = 'none' | 'any' | 'all' | 'not'

export type FilterDecks = { types: Deck<string | number>; groups: Deck<Group>; depths: Deck<number> }

export const newFilterDecks = (dice: Dice): FilterDecks => ({
  types: new Deck(dice, filterTypes),
  groups: new Deck<Group>(dice, ['none', 'none', 'none', 'none', 'any', 'any', 'all', 'not']),
  depths: new Deck(dice, [1, 1, 2, 2, 3, 4, 5]),
})

type Context = Source & {
  around: Around
  /** The dimensions of the conditions in groups. */
  ids: readonly string[]
  groups: Deck<Group>
}

/** A random filter or group that the anchor passes. Its first condition is on the dimension `id`. */
export function rollFilter(
  source: Omit<Source, 'types'>,
  decks: FilterDecks,
  id: string,
  ids: readonly string[],
  around: Around,
): Filter {
  const context = { ...source, ...decks, around, ids: [id, ...ids] }
  const group = decks.groups.draw()
  return group === 'none' ? rollCondition(context, id, around) : rollGroup(context, group, decks.depths.draw(), true)
}

/** A group that the anchor passes, or one that it fails. */
function rollGroup(context: Context, group: Exclude<Group, 'none'>, depth: number, passes: boolean): Filter {
  const { dice } = context
  if (group === 'not') return { not: rollMember(context, depth - 1, !passes) }
  // One member decides, or all members agree.
  const decides = (group === 'any') === passes
  const count = dice.between(1, 3)
  const decisive = dice.between(0, count - 1)
  const members = Array.from({ length: count }, (_, place) =>
    rollMember(
      context,
      place === decisive ? depth - 1 : Math.min(1, depth - 1),
      decides && place !== decisive ? dice.pick([true, false]) : passes,
    ),
  )
  return group === 'any' ? { any: members } : { all: members }
}

const nested = ['any', 'all', 'not'] as const

function rollMember(context: Context, depth: number, passes: boolean): Filter {
  if (depth > 0) return rollGroup(context, context.dice.pick(nested), depth, passes)
  const { dice, around, ids, known, dataset } = context
  // A condition that another sample passes is false for the anchor in many cases.
  const samples = known.of(around.organisation, { metric: around.metric, prefilter: false })
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const anchor = passes && attempt > 1 ? around.anchor : dice.pick(samples)
    const condition = rollCondition(context, dice.pick(ids), { ...around, anchor })
    if (keepsBy(condition, dataset, around.peak, rightRules)(around.anchor.located) === passes) return condition
  }
  return { id: 'agent', filterType: passes ? 'exclude' : 'include', filterValues: ['no such thing'] }
}

const attemptsMax = 6
