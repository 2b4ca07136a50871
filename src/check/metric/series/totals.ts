import { isAbsent, messages, type FieldFaults } from '../../field-faults.ts'

/**
 * The totals of a response. `totals`: the points of all splits together. `overall`: the points of the whole range, for each
 * combination of split values. `grand`: both.
 */
export const totalSets = ['totals', 'overall', 'grand'] as const
export type TotalSet = (typeof totalSets)[number]

type Body = Readonly<Record<string, unknown>>

/** Present if the response has the totals of its points: over all splits, over the whole range, and over both. */
export type Totals = { readonly totals?: true }

export function checkTotals({ totals: value, chartType, compare }: Body, faults: FieldFaults): Totals {
  if (isAbsent(value) || value === false) return {}
  if (value !== true) faults.add('totals', messages.type('bool'))
  else if (chartType === 'raw') faults.add('totals', 'Raw points have no totals; use the chart type "aggregate".')
  else if (!isAbsent(compare)) {
    faults.add('totals', 'Totals have no comparisons; compare in a request without "splits" instead.')
  }
  return { totals: true }
}
