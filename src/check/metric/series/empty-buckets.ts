import type { Aggregation } from '../../../catalog/aggregations.ts'
import { isAbsent, messages, type FieldFaults } from '../../field-faults.ts'

type Body = Readonly<Record<string, unknown>>

/** Present if each series of the response has a point for every bucket of the range, also for those without results. */
export type EmptyBuckets = { readonly emptyBuckets?: true }

/** Checks `emptyBuckets`. `aggregation` is null for raw points, and if the aggregation is not valid. */
export function checkEmptyBuckets(
  { emptyBuckets: value, chartType }: Body,
  aggregation: Aggregation | null,
  faults: FieldFaults,
): EmptyBuckets {
  if (isAbsent(value) || value === false) return {}
  if (value !== true) faults.add('emptyBuckets', messages.type('bool'))
  else if (chartType === 'raw') refuse(faults, 'Raw points have no buckets.')
  else if (aggregation?.key === 'total') refuse(faults, 'A total has no buckets.')
  return { emptyBuckets: true }
}

const refuse = (faults: FieldFaults, reason: string): void =>
  faults.add('emptyBuckets', messages.choice, () => ({ reason }))
