import type { Cell, Numbers } from '../facts.ts'
import type { Rules } from '../rules.ts'
import { isInclude, listTypes, numberTypes, textTypes, type Condition } from './filter.ts'

type Names = Pick<Numbers, 'isps' | 'packages'>

/**
 * True or false if a filter keeps or drops something. By the right rules it is never null: a condition on a missing value
 * is false, and its negation is true.
 */
export type Verdict = boolean | null

/** Returns a function that returns true if a condition holds for a value of its dimension. */
export function holdsFor(condition: Condition, numbers: Names, rules: Rules): (value: Cell) => Verdict {
  const { id, filterType } = condition
  const isMissing = (value: Cell): boolean => value === null || (value === '' && rules.emptyText === 'is missing')
  if (filterType === 'is_set') return (value) => !isMissing(value)
  if (filterType === 'is_missing') return isMissing
  const unknown = rules.negatedMissing === 'is true' ? false : null
  if (listTypes.includes(filterType)) {
    const keeps = isInclude(filterType)
    const listed = listOf(condition, numbers, rules)
    return (value) =>
      value === null ? (keeps ? unknown : rules.excludeKeepsNull) : listed.has(String(value)) === keeps
  }
  if (textTypes.includes(String(filterType))) {
    const fits = textTest(condition, rules)
    return (value) => (value === null ? unknown : fits(shownText(id, String(value), rules)))
  }
  if (!numberTypes.includes(String(filterType))) throw new Error(`no filter type ${filterType}`)
  const fits = numberTest(condition, rules)
  return (value) => {
    const number = numberOf(value)
    return number === null ? unknown : fits(number, String(value))
  }
}

const textsOf = ({ filterValues = [] }: Condition): string[] => filterValues.map(String)

const listOf = (condition: Condition, numbers: Names, rules: Rules): Set<string> =>
  new Set(textsOf(condition).map((value) => nameOf(condition.id, value, numbers, rules)))

/**
 * The name that a filter value stands for. Filters also accept ISPs and packages by their number. If a value is both a
 * name and a number, it stands for the name.
 */
function nameOf(id: string, value: string, numbers: Names, rules: Rules): string {
  if (id !== 'isp' && id !== 'package') return value
  const known = id === 'isp' ? numbers.isps : numbers.packages
  const byNumber = [...known].find(([, number]) => String(number) === value)?.[0]
  return known.has(value) && (rules.ispNames === 'before ids' || byNumber === undefined) ? value : (byNumber ?? value)
}

/** The text that points show. That of a package begins with the name of its ISP. */
const shownText = (id: string, value: string, { packageText }: Rules): string =>
  id === 'package' && packageText === 'without the ISP' ? value.slice(value.lastIndexOf(':') + 1) : value

/** One of several texts is enough. */
function textTest(condition: Condition, rules: Rules): (text: string) => boolean {
  const { filterType } = condition
  if (filterType === 'matches') {
    const patterns = textsOf(condition).map((pattern) => patternOf(pattern, rules))
    return (text) => patterns.some((pattern) => pattern.test(text))
  }
  const cased = (text: string): string => (rules.textCase === 'matters' ? text : text.toLowerCase())
  const parts = textsOf(condition).map(cased)
  return (text) =>
    parts.some((part) => {
      if (filterType === 'contains') return cased(text).includes(part)
      return filterType === 'starts_with' ? cased(text).startsWith(part) : cased(text).endsWith(part)
    })
}

const ignoresCase = '(?i)'

/** RE2 and JavaScript agree on the patterns that the generator draws. `.` also matches a line break. */
function patternOf(pattern: string, { patterns }: Rules): RegExp {
  const isCaseless = pattern.startsWith(ignoresCase)
  const body = isCaseless ? pattern.slice(ignoresCase.length) : pattern
  return new RegExp(patterns === 'match anywhere' ? body : `^(?:${body})$`, isCaseless ? 'sui' : 'su')
}

/** A custom value is a number if it has this form. All other dimensions that can be compared are numbers. */
const plainNumber = /^-?[0-9]+(\.[0-9]+)?$/

export function numberOf(value: Cell): number | null {
  if (typeof value === 'number') return value
  return value !== null && plainNumber.test(value) ? Number(value) : null
}

function numberTest({ filterType, filterValues }: Condition, rules: Rules): (value: number, text: string) => boolean {
  const [given] = filterValues ?? []
  const bound = Number(given)
  const ascends = filterType === 'at_least' || filterType === 'above'
  const holdsAtBound = (filterType === 'at_least' || filterType === 'at_most') && rules.bounds === 'as named'
  return (value, text) => {
    const isMore = rules.numbers === 'by value' ? value > bound : text > String(given)
    return value === bound ? holdsAtBound : isMore === ascends
  }
}
