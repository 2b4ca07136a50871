import { Fault, storeUnavailable, unavailable } from '../../base/fault.ts'
import { tooManyBuckets } from '../../compile/metric/series/empty-buckets.ts'
import { unknownZone } from '../../compile/metric/local-time.ts'
import { unavailableSystemCodes } from '../unavailable-codes.ts'

/**
 * The limit that a query has exceeded, by ClickHouse's error code. For code 241 the message decides too: see
 * `isWholeServerFull`.
 */
const exceeded: Record<string, string> = {
  '158': 'reads more rows than its limit',
  '159': 'takes longer than its time limit',
  '241': 'needs more memory than its limit',
  '307': 'reads more bytes than its limit',
  '396': 'has a larger result than its limit',
}

/**
 * Error codes that are caused by the state of the server and not by the query.
 *
 * - `serverUnavailable`: too many simultaneous queries, network error, socket timeout, not enough space, too many parts, no
 *   shard to connect to, a query that was killed or ended by a shutdown, or PostgreSQL unavailable while ClickHouse loads a
 *   dictionary.
 * - `replicasUnavailable`: read-only because Keeper is lost, too few replicas for a quorum, quorum timeout, or Keeper
 *   unavailable.
 */
const serverUnavailable = ['202', '209', '210', '236', '243', '252', '279', '394', '614']
const replicasUnavailable = ['242', '285', '286', '319', '999']
const unavailableCodes = new Set([...serverUnavailable, ...replicasUnavailable])
const unavailableMessages = /^(Timeout error|socket hang up|aborted$|The (user|operation was) aborted)/i

/** Maps an error of ClickHouse or of the connection to a fault. Any other error stays unchanged and becomes a 500. */
export function toEngineFault(error: Error): Error
export function toEngineFault(error: unknown): unknown
export function toEngineFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error
  const code = 'code' in error ? String(error.code) : ''
  const isUnavailable =
    unavailableCodes.has(code) || unavailableSystemCodes.test(code) || unavailableMessages.test(error.message)
  if (isUnavailable || isWholeServerFull(code, error.message)) return storeUnavailable('ClickHouse', error)
  // The statement itself raises this error. A newer instance has added a time zone that this instance does not know.
  if (error.message.includes(unknownZone)) return unavailable(unknownZone, { cause: error })
  if (error.message.includes(tooManyBuckets)) return tooLarge('has too many empty buckets', error)
  if (tooLongMessages.test(error.message)) return tooLong(error)
  const what = exceeded[code]
  return what === undefined ? error : tooLarge(what, error)
}

export const tooLarge = (what: string, cause?: unknown): Fault =>
  new Fault('QUERY_TOO_LARGE', {
    message: `The query ${what}; narrow its dates, panels, splits or filters.`,
    detail: `the query ${what}`,
    cause,
  })

/**
 * ClickHouse limits the text of a statement to 256 KiB, and to 128 KiB if it is sent as a form. The parameters of a statement are
 * never that long.
 */
const tooLongMessages = /^Max query size exceeded|HTML Form Exception: Field value too long/

/** The statement has a part for each metric and each kind of totals. */
const tooLong = (cause: unknown): Fault =>
  new Fault('QUERY_TOO_LARGE', {
    message: 'The query has too many metrics, totals and statistics for one statement; ask for fewer of them.',
    detail: 'the statement is too long',
    cause,
  })

/**
 * True if the message is "(total) memory limit exceeded": other queries have used up the memory of the server. Otherwise the
 * query has exceeded its own limit, or that of its user.
 */
const isWholeServerFull = (code: string, message: string): boolean =>
  code === '241' && /\btotal\b/i.test(message.split('exceeded')[0] ?? '')
