/** A condition on one dimension. */
export type Condition = { id: string; filterType: string | number; filterValues?: (string | number)[] }

export type Filter = Condition | { any: Filter[] } | { all: Filter[] } | { not: Filter }

/** The conditions of filters, in groups and outside. */
export const conditionsOf = (filters: readonly Filter[]): Condition[] =>
  filters.flatMap((filter) => {
    if ('any' in filter) return conditionsOf(filter.any)
    if ('all' in filter) return conditionsOf(filter.all)
    return 'not' in filter ? conditionsOf([filter.not]) : [filter]
  })

export const idsOf = (filters: readonly Filter[]): string[] => conditionsOf(filters).map(({ id }) => id)

/** The number of groups around the innermost condition. */
export function depthOf(filter: Filter): number {
  if ('id' in filter) return 0
  const inner = 'any' in filter ? filter.any : 'all' in filter ? filter.all : [filter.not]
  return 1 + Math.max(...inner.map(depthOf))
}

export const listTypes = ['include', 'exclude', 1, '1', 0, '0']
export const textTypes = ['contains', 'starts_with', 'ends_with', 'matches']
export const numberTypes = ['at_least', 'above', 'at_most', 'below']
export const presenceTypes = ['is_set', 'is_missing']

/** True if the filter type keeps the listed values, and false if it drops them. */
export function isInclude(filterType: string | number): boolean {
  if (['include', '1', 1].includes(filterType)) return true
  if (['exclude', '0', 0].includes(filterType)) return false
  throw new Error(`no filter type ${filterType}`)
}
