import { rollupLimits } from '../../../base/limits.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'

const dayMs = 86_400_000
const epoch = Temporal.PlainDate.from('1970-01-01')

/** Converts the options to days since 1970. Without options, the range contains every day that may have rollups. */
export function daysOf(options: { readonly from?: string; readonly to?: string }): { from: number; to: number } {
  const last = Math.floor(Date.now() / dayMs) - rollupLimits.ageDays
  const from = options.from === undefined ? 0 : dayOf(options.from)
  const to = options.to === undefined ? last : dayOf(options.to)
  if (from > to)
    throw new OperatorError(
      options.to === undefined
        ? `--from ${options.from} is too late: rollups exist only for days that ended more than ${rollupLimits.ageDays} days ago`
        : `--from ${options.from} is later than --to ${options.to}`,
    )
  return { from, to }
}

export function dayOf(text: string): number {
  // `Temporal` would also accept times and weeks.
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new OperatorError(`a day has the form YYYY-MM-DD, not "${text}"`)
  try {
    return epoch.until(Temporal.PlainDate.from(text)).days
  } catch (error) {
    throw new OperatorError(`there is no day ${text}`, error)
  }
}
