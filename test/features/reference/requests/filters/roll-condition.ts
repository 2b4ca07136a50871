import type { Dice } from '../../../../faults/dice.ts'
import { chance } from '../../dataset/chances.ts'
import { filterTypesOf, valueOf } from '../../model/dimensions.ts'
import type { Cell, Dataset } from '../../model/facts.ts'
import {
  isInclude,
  listTypes,
  numberTypes,
  presenceTypes,
  textTypes,
  type Condition,
} from '../../model/filters/filter.ts'
import { numberOf } from '../../model/filters/holds-for.ts'
import type { Window } from '../../model/request.ts'
import type { Sample } from '../../model/select.ts'
import type { Deck } from '../deck.ts'
import type { KnownSamples } from '../known-samples.ts'
import { rollPattern } from './roll-pattern.ts'

export const filterTypes = [...listTypes, ...textTypes, ...numberTypes, ...presenceTypes]

/** A value of the dimension's type that no result has. */
const nobodys = (id: string): string => (isNumber(id) ? '77' : 'no such thing')

const isNumber = (id: string): boolean => ['threads', 'ip_version', 'unit', 'hour_of_day', 'day_of_week'].includes(id)

/** `peak` is the window that is `peak` in the request. */
export type Around = { organisation: string; metric: string; anchor: Sample; peak: Window }

/** What conditions are drawn from. */
export type Source = { dice: Dice; types: Deck<string | number>; dataset: Dataset; known: KnownSamples }

/** A random condition that the anchor passes. The anchor is a sample that the caller has chosen. */
export function rollCondition(source: Source, id: string, around: Around): Condition {
  const own = valueOf(id, around.anchor.located, around.peak)
  const filterType = source.types.draw((type) => fits(type, id, own))
  // A deck draws any card if none fits.
  const type = fits(filterType, id, own) ? filterType : 'exclude'
  if (presenceTypes.includes(String(type))) return { id, filterType: type }
  if (numberTypes.includes(String(type))) return rollBound(source, id, String(type), numberOf(own) ?? 0)
  if (textTypes.includes(String(type))) return rollText(source, id, String(type), String(own), around)
  return rollList(source, id, type, textOf(own), around)
}

function fits(type: string | number, id: string, own: Cell): boolean {
  const name = listTypes.includes(type) ? (isInclude(type) ? 'include' : 'exclude') : String(type)
  if (!filterTypesOf(id).includes(name)) return false
  if (name === 'exclude' || name === 'is_missing') return name === 'exclude' || own === null
  return own !== null && (!numberTypes.includes(name) || numberOf(own) !== null)
}

function rollList(
  { dice, dataset, known }: Source,
  id: string,
  filterType: string | number,
  own: string | null,
  { organisation, metric }: Around,
): Condition {
  const others = known
    .values(organisation, metric, id)
    .map(textOf)
    .filter((value) => value !== null)
    .concat(nobodys(id), isNumber(id) ? [] : otherCase(own))
    .filter((value) => value !== own)
  const listed = Array.from({ length: dice.between(0, 3) }, () => dice.pick(others))
  const needed = isInclude(filterType) && own !== null ? [own] : listed.length === 0 ? [nobodys(id)] : []
  const values = [...new Set([...listed, ...needed])]
  return {
    id,
    filterType,
    filterValues: values.map((value) => {
      if (isNumber(id) && chance(dice, 30)) return Number(value)
      return chance(dice, 40) ? byNumber(id, value, dataset) : value
    }),
  }
}

/** Texts that are similar to the anchor's value, but different. */
const otherCase = (own: string | null): string[] =>
  own === null ? [] : [own.toLowerCase(), own.toUpperCase(), ` ${own}`].filter((value) => value !== own)

const textOf = (value: Cell): string | null => (value === null ? null : String(value))

/** The number of an ISP or a package. Returns the name instead if the number is also a name. */
function byNumber(id: string, name: string, { numbers }: Dataset): string {
  const known = id === 'isp' ? numbers.isps : id === 'package' ? numbers.packages : undefined
  const number = known?.get(name)?.toString()
  return number === undefined || known?.has(number) ? name : number
}

/** Parts of the anchor's text, and sometimes of other texts. A part consists of whole characters. */
function rollText(
  { dice, known }: Source,
  id: string,
  filterType: string,
  own: string,
  { organisation, metric }: Around,
): Condition {
  const others = known.values(organisation, metric, id).flatMap((value) => textOf(value) ?? [])
  const part = (text: string): string => {
    const characters = [...text]
    const length = dice.between(Math.min(1, characters.length), characters.length)
    const from =
      filterType === 'starts_with'
        ? 0
        : filterType === 'ends_with'
          ? characters.length - length
          : dice.between(0, characters.length - length)
    return characters.slice(from, from + length).join('')
  }
  const make = (text: string): string => (filterType === 'matches' ? rollPattern(dice, text) : part(text))
  const listed = Array.from({ length: dice.pick([0, 0, 1, 2]) }, () => make(dice.pick(others)))
  const values = [...new Set([...listed, make(own)])]
  return { id, filterType, filterValues: chance(dice, 50) ? values.toReversed() : values }
}

const opposites: Readonly<Record<string, string>> = {
  at_least: 'below',
  below: 'at_least',
  above: 'at_most',
  at_most: 'above',
}

/** The largest whole number that JSON can carry exactly. */
const numberMax = Number.MAX_SAFE_INTEGER

/** A bound near the anchor's number, and often equal to it. */
function rollBound({ dice }: Source, id: string, filterType: string, own: number): Condition {
  const bound = Math.min(numberMax, own + dice.pick([0, 0, 0, 1, -1, 0.5, -0.5, 50]))
  const passes = {
    at_least: own >= bound,
    above: own > bound,
    at_most: own <= bound,
    below: own < bound,
  }[filterType]
  const type = passes === true ? filterType : (opposites[filterType] ?? filterType)
  return { id, filterType: type, filterValues: [chance(dice, 50) ? bound : String(bound)] }
}
