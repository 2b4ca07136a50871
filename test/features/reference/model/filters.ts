import { valueOf } from './dimensions.ts'
import type { Dataset } from './facts.ts'
import type { Located } from './local-time.ts'
import { isInclude, type Filter, type Window } from './request.ts'
import type { Rules } from './rules.ts'

/**
 * Returns a function that returns true if a result passes the filter. A filter keeps or drops the results that have one
 * of the listed values.
 */
export function keepsBy(filter: Filter, dataset: Dataset, peak: Window, rules: Rules): (located: Located) => boolean {
  const listed = new Set(filter.filterValues.map((value) => nameOf(filter.id, value, dataset, rules)))
  const includes = isInclude(filter.filterType)
  return (located) => {
    const value = valueOf(filter.id, located, peak)
    if (value === null) return !includes && rules.excludeKeepsNull
    return listed.has(String(value)) === includes
  }
}

/**
 * The name that a filter value stands for. Filters also accept ISPs and packages by their number. If a value is both a
 * name and a number, it stands for the name.
 */
function nameOf(id: string, value: string, { numbers }: Dataset, rules: Rules): string {
  if (id !== 'isp' && id !== 'package') return value
  const known = id === 'isp' ? numbers.isps : numbers.packages
  const byNumber = [...known].find(([, number]) => String(number) === value)?.[0]
  return known.has(value) && (rules.ispNames === 'before ids' || byNumber === undefined) ? value : (byNumber ?? value)
}
