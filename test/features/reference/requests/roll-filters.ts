import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { valueOf } from '../model/dimensions.ts'
import type { Dataset } from '../model/facts.ts'
import type { Filter } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import type { Deck } from './deck.ts'
import type { KnownSamples } from './known-samples.ts'

export const filterTypes = ['include', 'exclude', 1, '1', 0, '0']

const includes = (filterType: string | number): boolean => ['include', 1, '1'].includes(filterType)

/** Never stored, and of the dimension's type. */
const nobodys = (id: string): string => (isNumber(id) ? '77' : 'no such thing')

const isNumber = (id: string): boolean => ['threads', 'ip_version', 'unit'].includes(id)

type Around = { organisation: string; metric: string; anchor: Sample }

/** A filter that lets the anchor through. */
export function rollFilter(
  dice: Dice,
  id: string,
  types: Deck<string | number>,
  { organisation, metric, anchor }: Around,
  dataset: Dataset,
  known: KnownSamples,
): Filter {
  const own = textOf(valueOf(id, anchor.located))
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

/** Almost the anchor's value, and not the same. */
const otherCase = (own: string | null): string[] =>
  own === null ? [] : [own.toLowerCase(), own.toUpperCase(), ` ${own}`].filter((value) => value !== own)

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value))

/** ISPs and packages by their number, unless that number is also the name of an ISP. */
function byNumber(id: string, name: string, { numbers }: Dataset): string {
  const known = id === 'isp' ? numbers.isps : id === 'package' ? numbers.packages : undefined
  const number = known?.get(name)?.toString()
  return number === undefined || known?.has(number) ? name : number
}
