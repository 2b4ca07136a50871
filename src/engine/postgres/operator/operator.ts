import { Client, DatabaseError, type QueryResultRow } from 'pg'
import { limits } from '../../../base/limits.ts'
import { SpokenError } from '../../../base/fault.ts'
import { speaking, sqlStateOf } from '../postgres.ts'

/**
 * An operator's connection: sees every organisation. Only the command line opens one; nothing that serves requests can.
 */
export type Operator = { readonly client: Client }

/** Something the operator asked for cannot be done as asked. The message says what to change. */
export class OperatorError extends SpokenError {}

export async function asOperator<Result>(
  adminUrl: string,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    application_name: 'broadgauge command',
  })
  client.on('error', () => {}) // also raised by the running query, which rejects
  await speaking(() => client.connect()).catch((error: unknown) => {
    throw /^(28|3D)/.test(sqlStateOf(error))
      ? new OperatorError('PostgreSQL refuses BROADGAUGE_POSTGRES_ADMIN_URL', error)
      : error
  })
  try {
    return await work({ client })
  } finally {
    await client.end()
  }
}

/** All of `work` or nothing. */
export async function inTransaction<Result>({ client }: Operator, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // The first error is the one to tell of; this fails too when the connection is gone.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

export async function operate<Row extends QueryResultRow>(
  { client }: Operator,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    const result = await speaking(() => client.query<Row>(text, values))
    return result.rows
  } catch (error) {
    throw error instanceof DatabaseError ? spoken(error) : error
  }
}

/** Violated constraints. PostgreSQL keeps the value to itself on tables with row-level security; the rule's name says which. */
function spoken(error: DatabaseError): Error {
  if (error.code === '23505') return alreadyThere(error)
  if (error.code === '42P01') return new OperatorError('The schema is not there yet; run: broadgauge migrate', error)
  if (error.code === '23514') {
    return new OperatorError(`A value is not acceptable (rule ${error.constraint ?? 'unknown'}).`, error)
  }
  return error
}

const alreadyThere = (error: DatabaseError): OperatorError =>
  new OperatorError(`There is one with the same value in ${error.table} already (rule ${error.constraint}).`, error)
