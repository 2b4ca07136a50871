import { Pool, types, type ClientBase, type QueryResultRow } from 'pg'
import { storeAway } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { parseJson } from '../../base/parse-json.ts'
import { awaySystemCodes } from '../away-codes.ts'
import { traced } from '../tracing.ts'

const unbounded = { depthMax: Infinity, structuresMax: Infinity, valuesMax: Infinity }

// Keys of custom metadata are callers' own, and `JSON.parse` mistakes those with escapes: see `parseJson`.
types.setTypeParser(types.builtins.JSONB, (text) =>
  text.includes('\\') ? parseJson(text, unbounded) : (JSON.parse(text) as unknown),
)

/** A pool of connections to PostgreSQL under one role. */
export type Postgres = { readonly pool: Pool; close: () => Promise<void> }

export type PostgresOptions = { url: string; connectionsMax: number; observe: Observe }

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
    // Statements are sent when they are there, not one by one: whoever reads as a tenant spares round trips by it.
    pipeline: true,
  })
  // A restart of PostgreSQL raises `error` on idle and on checked-out connections alike; without a listener on each,
  // Node ends the process.
  const listen = (error: Error) => observe({ kind: 'store-error', store: 'PostgreSQL', error })
  pool.on('error', listen)
  pool.on('connect', (client) => client.on('error', listen))
  return { pool, close: () => pool.end() }
}

export type NamedStatement = { name: string; text: string }

/** What its spans say. */
export const inPostgres = { 'db.system.name': 'postgresql' }

/** All connections, or the one of a transaction. */
export type Runner = Pool | ClientBase

/** The rows of a prepared statement, within the short deadline of look-ups. */
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
    throw spoken(error)
  }
}

/** The same for a statement that answers nothing of interest. */
export async function runNamed(...asked: Parameters<typeof findRows>): Promise<void> {
  await findRows(...asked)
}

/** Turns "the store is away" into an answer; every other error stays what it is, and becomes a logged 500. */
export async function speaking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw spoken(error)
  }
}

const spoken = (error: unknown): unknown => (isAway(error) ? storeAway('PostgreSQL', error) : error)

/**
 * SQLSTATE classes and codes of a server that is gone, going, starting, full or too slow; or that has heard nothing of us for
 * so long amid a transaction (25P03) that it gave us up: a connection that stands still is away as seen from either end.
 */
const awaySqlStates = /^(08...|25P03|53...|57P0[1-5]|57014|58...)$/
/** Errors `pg` raises by itself carry no code, only these words. */
const awayMessages =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/

/** The SQLSTATE of a database error, the code of a system error, or nothing. */
export const sqlStateOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.every(isAway)
  const code = sqlStateOf(error)
  return awaySqlStates.test(code) || awaySystemCodes.test(code) || awayMessages.test(error.message)
}
