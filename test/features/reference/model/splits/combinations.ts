import { compareCells, compareLists } from '../cells.ts'
import { windowsOf } from '../clock.ts'
import { valueOf } from '../dimensions.ts'
import type { Cell } from '../facts.ts'
import type { Located } from '../local-time.ts'
import type { MetricRequest, Window } from '../request.ts'
import type { Rules } from '../rules.ts'
import type { Sample } from '../select.ts'
import type { Members } from '../series.ts'

/** The results with the same values of the splits. Each point of the series has the labels. */
export type Combination = Members & { labels: Record<string, Cell | boolean> }

const valuesOf = (located: Located, { splits = [] }: MetricRequest, peak: Window): Cell[] =>
  splits.map((id) => valueOf(id, located, peak))

/** The combinations of split values that have results, sorted by these values. */
export function combinationsOf({ samples, withoutPlan }: Members, request: MetricRequest, rules: Rules): Combination[] {
  const { splits = [] } = request
  const { peak } = windowsOf(request, rules)
  const keyOf = ({ located }: Sample): string => JSON.stringify(valuesOf(located, request, peak))
  const unplanned = Map.groupBy(withoutPlan, keyOf)
  return [...Map.groupBy(samples, keyOf)]
    .map(([key, members]) => ({ values: JSON.parse(key) as Cell[], members, left: unplanned.get(key) ?? [] }))
    .toSorted((one, other) => compareLists(one.values, other.values, (left, right) => compareCells(left, right, rules)))
    .map(({ values, members, left }) => ({
      samples: members,
      withoutPlan: left,
      labels: Object.fromEntries(splits.map((split, index) => [split, values[index] ?? null])),
    }))
}

/** Returns a function that returns true if a result is in none of the combinations. */
export function isOfNone(
  combinations: readonly Combination[],
  request: MetricRequest,
  rules: Rules,
): (located: Located) => boolean {
  const { peak } = windowsOf(request, rules)
  const { splits = [] } = request
  const keys = new Set(combinations.map(({ labels }) => JSON.stringify(splits.map((id) => labels[id]))))
  return (located) => !keys.has(JSON.stringify(valuesOf(located, request, peak)))
}

/** The combinations with the split values of `others`, in the order of `others`. */
export const withValuesOf = (others: readonly Combination[], combinations: readonly Combination[]): Combination[] =>
  others.flatMap(({ labels }) => combinations.filter((one) => JSON.stringify(one.labels) === JSON.stringify(labels)))

/** The results that are in none of the shown combinations, as one series, if there are any. */
export function othersOf(
  { samples, withoutPlan }: Members,
  every: readonly Combination[],
  shown: readonly Combination[],
  request: MetricRequest,
  rules: Rules,
): Combination[] {
  if (shown.length === every.length) return []
  const isOther = isOfNone(shown, request, rules)
  return [
    {
      samples: rules.others === 'of the rest' ? samples.filter(({ located }) => isOther(located)) : samples,
      withoutPlan: withoutPlan.filter(({ located }) => isOther(located)),
      labels: { ...Object.fromEntries((request.splits ?? []).map((id) => [id, null])), other: true },
    },
  ]
}
