import { valueOf } from '../dimensions.ts'
import type { Dataset } from '../facts.ts'
import type { Located } from '../local-time.ts'
import type { Window } from '../request.ts'
import type { Rules } from '../rules.ts'
import type { Condition, Filter } from './filter.ts'
import { holdsFor, type Verdict } from './holds-for.ts'

/** Returns a function that returns true if a result passes the filter. */
export function keepsBy(filter: Filter, dataset: Dataset, peak: Window, rules: Rules): (located: Located) => boolean {
  const verdictOf = verdictsOf<Located>(filter, (condition) => {
    const holds = holdsFor(condition, dataset.numbers, rules)
    return (located) => holds(valueOf(condition.id, located, peak))
  })
  return (located) => verdictOf(located) === true
}

/** Combines the verdicts of conditions. `null` combines like NULL in SQL. */
function verdictsOf<Item>(
  filter: Filter,
  ofCondition: (condition: Condition) => (item: Item) => Verdict,
): (item: Item) => Verdict {
  if ('not' in filter) {
    const inner = verdictsOf(filter.not, ofCondition)
    return (item) => opposite(inner(item))
  }
  if ('id' in filter) return ofCondition(filter)
  const [members, decisive] = 'any' in filter ? [filter.any, true] : [filter.all, false]
  const verdicts = members.map((member) => verdictsOf(member, ofCondition))
  return (item) => {
    const found = verdicts.map((verdictOf) => verdictOf(item))
    return found.includes(decisive) ? decisive : found.includes(null) ? null : !decisive
  }
}

const opposite = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict)
