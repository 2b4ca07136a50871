import { Client, DatabaseError, type QueryResultRow } from 'pg'
import { limits } from '../../../base/limits.ts'
import { UserFacingError } from '../../../base/fault.ts'
import { mapStoreErrors, sqlStateOf } from '../postgres.ts'

/**
 * A connection of an operator, which sees the data of every organisation. Only the command line opens it, never the service.
 */
export type Operator = { readonly client: Client }

/** The error of a command that cannot be carried out. The message says what to change. */
export class OperatorError extends UserFacingError {}

export async function asOperator<Result>(
  adminUrl: string,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    application_name: 'broadgauge command',
  })
  client.on('error', () => {}) // the running query rejects with the same error
  await mapStoreErrors(() => client.connect()).catch((error: unknown) => {
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

/** Runs `work` in a transaction: either all of its changes are made, or none. */
export async function inTransaction<Result>({ client }: Operator, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // The error of ROLLBACK is ignored, because the first error is thrown. ROLLBACK also fails if the connection is lost.
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
    const result = await mapStoreErrors(() => client.query<Row>(text, values))
    return result.rows
  } catch (error) {
    throw error instanceof DatabaseError ? toStoreFault(error) : error
  }
}

/**
 * Maps violated constraints to messages. With row-level security PostgreSQL hides the value, so the message contains the name
 * of the constraint.
 */
function toStoreFault(error: DatabaseError): Error {
  if (error.code === '23505') return duplicateValue(error)
  if (error.code === '42P01') return new OperatorError('The schema does not exist yet; run: broadgauge migrate', error)
  if (error.code === '23514') {
    return new OperatorError(`A value violates the rule ${error.constraint ?? 'unknown'}.`, error)
  }
  return error
}

const duplicateValue = (error: DatabaseError): OperatorError =>
  new OperatorError(`A row with the same value already exists in ${error.table} (rule ${error.constraint}).`, error)
