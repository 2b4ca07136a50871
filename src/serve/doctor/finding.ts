import { Fault, SpokenError } from '../../base/fault.ts'
import { withoutSecrets } from '../../base/without-secrets.ts'
import { clockDifferenceMaxMs } from '../../engine/clickhouse/query/read-clock.ts'

/** What was looked at, how it is, and what to do if it is not well. */
export type Finding = { readonly check: string; readonly state: 'ok' | 'wrong'; readonly remark: string }

/** Something is wrong; the message says what to do. */
export class Ailment extends SpokenError {}

/** `look` answers what it has seen, and throws what is wrong. */
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
    const isAway = error.code === 'SERVICE_UNAVAILABLE'
    return isAway ? `${found}: is it running, and are its address and password right?` : found
  }
  return error instanceof Error ? error.message : String(error)
}

/** Tokens expire, dates are resolved and results are judged by different clocks. */
export function compareClocks(theirsMs: number, askedAtMs: number, answeredAtMs: number): string {
  const differenceMs = Math.round(theirsMs - (askedAtMs + answeredAtMs) / 2)
  if (Math.abs(differenceMs) > clockDifferenceMaxMs) {
    throw new Ailment(`its clock is ${differenceMs} ms off ours: let both follow a time server`)
  }
  return `${differenceMs} ms off ours`
}
