import { Fault, storeAway, unavailable } from '../../base/fault.ts'
import { unknownZone } from '../../compile/metric/local-time.ts'
import { awaySystemCodes } from '../away-codes.ts'

/** What a query was too large for, by the engine's code. 241 is told by its words besides. */
const exceeded: Record<string, string> = {
  '158': 'reads more rows than its limit',
  '159': 'takes longer than its time limit',
  '241': 'needs more memory than its limit',
  '307': 'reads more bytes than its limit',
  '396': 'has a larger result than its limit',
}

/**
 * The engine's state, not the query's fault: too many simultaneous queries, network error, socket timeout, not enough
 * space, too many parts, no shard to connect to, a query ended from outside or by a shutdown; or that of PostgreSQL, from
 * which it could not load a dictionary yet. Of replicas: one that has lost its Keeper and only reads, too few of them for a
 * quorum, a quorum that did not come about in time, the Keeper away.
 */
const serverAway = ['202', '209', '210', '236', '243', '252', '279', '394', '614']
const replicasAway = ['242', '285', '286', '319', '999']
const awayEngineCodes = new Set([...serverAway, ...replicasAway])
const awayMessages = /^(Timeout error|socket hang up|aborted$|The (user|operation was) aborted)/i

/** An error of the engine or of the way to it as an answer; what is neither stays what it is, and becomes a 500. */
export function toEngineFault(error: Error): Error
export function toEngineFault(error: unknown): unknown
export function toEngineFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error
  const code = 'code' in error ? String(error.code) : ''
  const isAway = awayEngineCodes.has(code) || awaySystemCodes.test(code) || awayMessages.test(error.message)
  if (isAway || isWholeServerFull(code, error.message)) return storeAway('ClickHouse', error)
  // By the statement itself: an older copy beside a newer one, or one that was not replaced.
  if (error.message.includes(unknownZone)) return unavailable(unknownZone, { cause: error })
  const what = exceeded[code]
  return what === undefined ? error : tooLarge(what, error)
}

export const tooLarge = (what: string, cause?: unknown): Fault =>
  new Fault('QUERY_TOO_LARGE', {
    message: `The query ${what}; narrow its dates, panels, splits or filters.`,
    detail: `the query ${what}`,
    cause,
  })

/** "(total) memory limit exceeded": others have used it up. A limit of the query or its user is the query's own. */
const isWholeServerFull = (code: string, message: string): boolean =>
  code === '241' && /\btotal\b/i.test(message.split('exceeded')[0] ?? '')
