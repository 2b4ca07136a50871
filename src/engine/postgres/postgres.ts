import { Pool, types, type ClientBase, type QueryResultRow } from 'pg'
import { storeUnavailable } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { parseJson } from '../../base/parse-json.ts'
import { unavailableSystemCodes } from '../unavailable-codes.ts'
import { traced } from '../tracing.ts'

const unbounded = { depthMax: Infinity, structuresMax: Infinity, valuesMax: Infinity }

// Callers choose the names of custom fields, and `JSON.parse` can confuse keys that contain escapes: see `parseJson`.
types.setTypeParser(types.builtins.JSONB, (text) =>
  text.includes('\\') ? parseJson(text, unbounded) : (JSON.parse(text) as unknown),
)

export type Postgres = { readonly pool: Pool; close: () => Promise<void> }

export type PostgresOptions = { url: string; connectionsMax: number; observe: Observe }

/** A connection that is silent for this long is probed by both sides. */
const probeAfterSeconds = 5
/**
 * Makes PostgreSQL end the session of an instance that is silent for 9 s, as after a power failure or a partition of the
 * network. Its default is two hours. Until then the session keeps its advisory locks, and no other instance can publish
 * metadata.
 */
const serverKeepAlive = `-c tcp_keepalives_idle=${probeAfterSeconds} -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2 -c tcp_user_timeout=9000`

export function openPostgres({ url, connectionsMax, observe }: PostgresOptions): Postgres {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.statementTimeoutMs,
    query_timeout: limits.clientTimeoutMs,
    idle_in_transaction_session_timeout: limits.clientTimeoutMs,
    application_name: 'broadgauge',
    keepAlive: true,
    keepAliveInitialDelayMillis: probeAfterSeconds * 1_000,
    options: serverKeepAlive,
    // Sends a statement without waiting for the results of earlier ones, which saves a round trip in `readAsTenant`.
    pipeline: true,
  })
  // When PostgreSQL restarts, every connection emits `error`, whether it is idle or in use. If a connection has no listener,
  // Node ends the process.
  const listen = (error: Error) => observe({ kind: 'store-error', store: 'PostgreSQL', error })
  pool.on('error', listen)
  pool.on('connect', (client) => client.on('error', listen))
  return { pool, close: () => pool.end() }
}

export type NamedStatement = { name: string; text: string }

/** Attributes of the trace spans of requests to PostgreSQL. */
export const inPostgres = { 'db.system.name': 'postgresql' }

/** The pool, or the connection of a transaction. */
export type Runner = Pool | ClientBase

/** Runs a prepared statement, with the short timeout of look-ups. */
export async function findRows<Row extends QueryResultRow>(
  runner: Runner,
  { name, text }: NamedStatement,
  values: unknown[],
  timeoutMs: number = limits.lookupTimeoutMs,
): Promise<Row[]> {
  const query = { name, text, values, query_timeout: timeoutMs }
  try {
    const { rows } = await traced(`PostgreSQL ${name}`, 'client', inPostgres, () => runner.query<Row>(query))
    return rows
  } catch (error) {
    throw toStoreFault(error)
  }
}

/** Like `findRows`, for a statement whose result is not needed. */
export async function runNamed(...asked: Parameters<typeof findRows>): Promise<void> {
  await findRows(...asked)
}

/** Maps errors of an unavailable store to a 503. Other errors stay unchanged and become a 500, which is logged. */
export async function mapStoreErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toStoreFault(error)
  }
}

const toStoreFault = (error: unknown): unknown => (isUnavailable(error) ? storeUnavailable('PostgreSQL', error) : error)

/**
 * SQLSTATEs of a server that is down, shutting down, starting, full or too slow. 25P03 means that the server has closed an idle
 * transaction, which happens if the connection has hung.
 */
const unavailableSqlStates = /^(08...|25P03|53...|57P0[1-5]|57014|58...)$/
/** Errors that the library `pg` raises itself have no code, only these messages. */
const unavailableMessages =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/

/** Returns the SQLSTATE of a database error, the code of a system error, or an empty string. */
export const sqlStateOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.every(isUnavailable)
  const code = sqlStateOf(error)
  return unavailableSqlStates.test(code) || unavailableSystemCodes.test(code) || unavailableMessages.test(error.message)
}
