import type { AggregateRequest } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'

type Options = { readonly percentileLevels?: string; readonly histogram?: string }

/** Converts `--percentile-levels 2.5,97.5`, and `--histogram 10,30,100` or `--histogram log`. */
export function distributionOf({
  percentileLevels,
  histogram,
}: Options): Pick<AggregateRequest, 'percentileLevels' | 'histogram'> {
  return {
    ...(percentileLevels === undefined ? {} : { percentileLevels: numbersOf('--percentile-levels', percentileLevels) }),
    ...(histogram === undefined
      ? {}
      : { histogram: histogram === 'log' ? { bins: 'log' } : { edges: numbersOf('--histogram', histogram) } }),
  }
}

function numbersOf(option: string, text: string): number[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.some((part) => part === '' || !Number.isFinite(Number(part)))) {
    throw new UserFacingError(`${option} takes numbers with commas between them, not "${text}"`)
  }
  return parts.map(Number)
}
