import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { valueOf } from '../model/dimensions.ts'
import type { Dataset } from '../model/facts.ts'
import type { Filter, Window } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import type { Deck } from './deck.ts'
import type { KnownSamples } from './known-samples.ts'

export const filterTypes = ['include', 'exclude', 1, '1', 0, '0']

const includes = (filterType: string | number): boolean => ['include', 1, '1'].includes(filterType)

/** A value of the dimension's type that no result has. */
const nobodys = (id: string): string => (isNumber(id) ? '77' : 'no such thing')

const isNumber = (id: string): boolean => ['threads', 'ip_version', 'unit', 'hour_of_day', 'day_of_week'].includes(id)

/** `peak` is the window that is `peak` in the request. */
export type Around = { organisation: string; metric: string; anchor: Sample; peak: Window }

/** A random filter that the anchor passes. The anchor is a sample that the caller has chosen. */
export function rollFilter(
  dice: Dice,
  id: string,
  types: Deck<string | number>,
  { organisation, metric, anchor, peak }: Around,
  dataset: Dataset,
  known: KnownSamples,
): Filter {
  const own = textOf(valueOf(id, anchor.located, peak))
  const filterType = types.draw((type) => !includes(type) || own !== null)
  const others = known
    .values(organisation, metric, id)
    .map(textOf)
    .filter((value) => value !== null)
    .concat(nobodys(id), isNumber(id) ? [] : otherCase(own))
    .filter((value) => value !== own)
  const listed = Array.from({ length: dice.between(0, 3) }, () => dice.pick(others))
  const needed = includes(filterType) && own !== null ? [own] : listed.length === 0 ? [nobodys(id)] : []
  const values = [...new Set([...listed, ...needed])]
  return {
    id,
    filterType,
    filterValues: values.map((value) => (chance(dice, 40) ? byNumber(id, value, dataset) : value)),
  }
}

/** Texts that are similar to the anchor's value, but different. */
const otherCase = (own: string | null): string[] =>
  own === null ? [] : [own.toLowerCase(), own.toUpperCase(), ` ${own}`].filter((value) => value !== own)

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value))

/** The number of an ISP or a package. Returns the name instead if the number is also a name. */
function byNumber(id: string, name: string, { numbers }: Dataset): string {
  const known = id === 'isp' ? numbers.isps : id === 'package' ? numbers.packages : undefined
  const number = known?.get(name)?.toString()
  return number === undefined || known?.has(number) ? name : number
}
