import { valueOf } from './dimensions.ts'
import type { Dataset } from './facts.ts'
import type { Located } from './local-time.ts'
import type { Filter } from './request.ts'
import type { Rules } from './rules.ts'

/** A filter keeps what is listed, or drops it; the listed values are alternatives. */
export function keepsBy(filter: Filter, dataset: Dataset, rules: Rules): (located: Located) => boolean {
  const listed = new Set(filter.filterValues.map((value) => nameOf(filter.id, value, dataset, rules)))
  const includes = isInclude(filter.filterType)
  return (located) => {
    const value = valueOf(filter.id, located)
    if (value === null) return !includes && rules.excludeKeepsNull
    return listed.has(String(value)) === includes
  }
}

function isInclude(filterType: string | number): boolean {
  if (['include', '1', 1].includes(filterType)) return true
  if (['exclude', '0', 0].includes(filterType)) return false
  throw new Error(`no filter type ${filterType}`)
}

/** ISPs and packages may be given by number too; a name that looks like a number is still a name. */
function nameOf(id: string, value: string, { numbers }: Dataset, rules: Rules): string {
  if (id !== 'isp' && id !== 'package') return value
  const known = id === 'isp' ? numbers.isps : numbers.packages
  const byNumber = [...known].find(([, number]) => String(number) === value)?.[0]
  return known.has(value) && (rules.ispNames === 'before ids' || byNumber === undefined) ? value : (byNumber ?? value)
}
