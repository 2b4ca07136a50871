import { rateHeaders } from './fair-limits.ts'
import { Fault } from './fault.ts'

type Excess = {
  /** Follows "Too many". */
  readonly what: string
  readonly limit: number
  readonly retryMs: number
  /** For the operator's log. */
  readonly detail: string
}

/** The 429 of every limit. */
export function tooManyRequests({ what, limit, retryMs, detail }: Excess): Fault {
  const resetSeconds = Math.max(1, Math.ceil(retryMs / 1000))
  return new Fault('TOO_MANY_REQUESTS', {
    message: `Too many ${what}. Try again after the time in Retry-After.`,
    headers: { 'retry-after': String(resetSeconds), ...rateHeaders({ limit, remaining: 0, resetSeconds }) },
    detail,
  })
}

/** The 503 of an instance that has more to do than it can. */
export const instanceBusy = (detail: string): Fault =>
  new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' }, detail })
