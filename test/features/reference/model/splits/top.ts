import { compareCells } from '../cells.ts'
import type { Data } from '../request.ts'
import type { Rules } from '../rules.ts'
import { valueIn } from '../selection/selected.ts'
import type { Combination } from './combinations.ts'

/** Which combinations of split values stay: the `n` first by a number of their points over the whole range. */
export type Top = { n: number; by?: string; direction?: 'asc' | 'desc'; others?: boolean }

/** What a series is ranked by if the request does not say it. */
export const usualRank = 'metricValue'

/**
 * The first combinations, by rank. `ranking` has the points by which they are ranked. Equal combinations stay in their order,
 * and those without a value come last.
 */
export function topOf(
  combinations: readonly Combination[],
  ranking: Data,
  { n, by = usualRank, direction = 'desc' }: Top,
  rules: Rules,
): Combination[] {
  const values = ranking.map(({ metricData: [point, ...more] }) => {
    if (point === undefined || more.length === 0) return point === undefined ? null : valueIn(point, by)
    return [point, ...more].reduce((sum, one) => sum + Number(valueIn(one, by)), 0)
  })
  const sign = direction === 'asc' ? 1 : -1
  return combinations
    .map((combination, place) => ({ combination, value: values[place] ?? null }))
    .toSorted((one, other) => {
      const nulls = Number(one.value === null) - Number(other.value === null)
      return nulls === 0 ? sign * compareCells(one.value, other.value, rules) : nulls
    })
    .slice(0, n)
    .map(({ combination }) => combination)
}
