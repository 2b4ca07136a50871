import { Fault, UserFacingError } from '../../base/fault.ts'
import { withoutSecrets } from '../../base/without-secrets.ts'
import { clockDifferenceMaxMs } from '../../engine/clickhouse/query/read-clock.ts'

/** The result of one check. If the state is `wrong`, the remark says what to do. */
export type Finding = { readonly check: string; readonly state: 'ok' | 'wrong'; readonly remark: string }

/** A problem that a check has found. Its message says what to do. */
export class Problem extends UserFacingError {}

/** Runs one check. `look` returns the remark, or throws an error that says what is wrong. */
export async function examine(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, state: 'ok', remark: await look() }
  } catch (error) {
    return { check, state: 'wrong', remark: withoutSecrets(remarkOf(error)) }
  }
}

function remarkOf(error: unknown): string {
  if (error instanceof Fault) {
    const reason = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : ''
    const found = `${error.detail ?? error.message}${reason}`
    const isUnavailable = error.code === 'SERVICE_UNAVAILABLE'
    return isUnavailable ? `${found}; check that it is running, and that its address and password are correct` : found
  }
  return error instanceof Error ? error.message : String(error)
}

/**
 * Compares the clock of a store with the clock of the service. The store and the service each use their own clock for the
 * expiry of tokens, for relative dates and for the checks of results.
 */
export function compareClocks(theirsMs: number, askedAtMs: number, answeredAtMs: number): string {
  const differenceMs = Math.round(theirsMs - (askedAtMs + answeredAtMs) / 2)
  if (Math.abs(differenceMs) > clockDifferenceMaxMs) {
    throw new Problem(
      `the clock differs from the clock of this machine by ${differenceMs} ms; synchronise both with a time server`,
    )
  }
  return `differs from the clock of this machine by ${differenceMs} ms`
}
