import { Client } from 'pg'
import { limits } from '../../../base/limits.ts'
import { UserFacingError } from '../../../base/fault.ts'
import {
  type AppliedMigration,
  changedFunctions,
  findFunctionFiles,
  findMigrationFiles,
  type MigrationFile,
  pendingMigrations,
} from '../../migration-files.ts'
import { lockNumbers } from '../advisory-locks.ts'
import { mapStoreErrors, sqlStateOf } from '../postgres.ts'
import { changeYielding, lockNotAvailable, type LockTimeouts } from './yielding-change.ts'

/**
 * Runs `work` while no other migration runs, in either store. ClickHouse has no lock that covers several nodes, so both
 * migrations use a lock in PostgreSQL. If a migration had to wait for the lock, it finds nothing left to do.
 */
export async function underMigrationLock<Result>(
  adminUrl: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    application_name: 'broadgauge migrate',
  })
  // The lock ends with the connection. If the connection is lost, another migration can start, so this one must stop.
  const lost = new Promise<never>((_, reject) => {
    client.on('error', (error) =>
      reject(new UserFacingError('The connection that held the migration lock was lost.', error)),
    )
  })
  lost.catch(() => {}) // the race below handles it
  await mapStoreErrors(() => client.connect())
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockNumbers.migrate])
    return await Promise.race([work(client), lost])
  } finally {
    await client.end() // also releases the lock
  }
}

/** Brings the schema up to date. Returns the names of the files that have changed it. */
export async function migratePostgres(client: Client): Promise<string[]> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`)
  const applied = await client.query<AppliedMigration>('SELECT name, checksum FROM schema_migrations ORDER BY name')
  const functions = await findFunctionFiles()
  const pending = pendingMigrations(await findMigrationFiles('postgres'), applied.rows)
  await runMigrations(client, { numbered: pending, functions })
  await revokeTemporary(client)
  return [...pending, ...changedFunctions(functions, applied.rows)].map(({ name }) => name)
}

/**
 * Lets only the owner of the database create temporary tables and functions. This is repeated in every run, because neither a
 * dump nor a template database contains the rights on a database.
 */
export async function revokeTemporary(client: Client): Promise<void> {
  if (!(await publicHasTemporary(client))) return
  await client.query(`
    DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$`)
  if (await publicHasTemporary(client)) {
    throw new UserFacingError(
      'Everyone may create temporary tables in this database, and only its owner can change that: make the role of ' +
        'BROADGAUGE_POSTGRES_ADMIN_URL the owner of the database, and run broadgauge migrate again.',
    )
  }
}

async function publicHasTemporary(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ granted: boolean }>(
    `SELECT has_database_privilege('public', current_database(), 'TEMPORARY') AS granted`,
  )
  return rows[0]?.granted ?? true
}

/** The files of one migration. Numbered files run only once, and function files run in every migration. */
export type Migrations = { readonly numbered: readonly MigrationFile[]; readonly functions: readonly MigrationFile[] }

/**
 * Runs the files in one transaction and records them in `schema_migrations`. A numbered file may declare a function for its
 * triggers, without the real body of the function. With a single transaction, no other transaction sees the declaration before
 * the function is defined.
 */
export async function runMigrations(
  client: Client,
  { numbered, functions }: Migrations,
  patience?: LockTimeouts,
): Promise<void> {
  const run = async () => {
    for (const file of numbered) {
      await runFile(client, file)
      await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [file.name, file.checksum])
    }
    for (const file of functions) {
      await runFile(client, file)
      await client.query(
        `INSERT INTO schema_migrations AS applied (name, checksum) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = now()
         WHERE applied.checksum <> excluded.checksum`,
        [file.name, file.checksum],
      )
    }
  }
  const names = numbered.length === 0 ? 'functions' : numbered.map(({ name }) => name).join(', ')
  await changeYielding(client, `The migration (${names})`, run, patience)
}

async function runFile(client: Client, { name, text }: MigrationFile): Promise<void> {
  try {
    await client.query(text)
  } catch (error) {
    // The caller retries after this error.
    if (sqlStateOf(error) === lockNotAvailable) throw error
    throw new Error(`migration ${name} failed and left nothing behind`, { cause: error })
  }
}

/**
 * Adds the time zones that agents may have: those that both PostgreSQL and Node know, in PostgreSQL's spelling. ClickHouse need
 * not know them, because queries contain the offsets. A time zone is never removed, because spans refer to its number. Returns
 * how many were added.
 */
export async function fillZones(client: Client): Promise<number> {
  const missing = await client.query<{ name: string }>(
    'SELECT name FROM pg_timezone_names WHERE name NOT IN (SELECT name FROM zones)',
  )
  const names = missing.rows.map(({ name }) => name).filter(isKnownToNode)
  const result = await client.query(
    'INSERT INTO zones (name) SELECT name FROM unnest($1::text[]) AS name ORDER BY name',
    [names],
  )
  return result.rowCount ?? 0
}

/** `Intl.supportedValuesOf` cannot be used: its list lacks `UTC`, `Asia/Kolkata` and `US/Eastern`. */
function isKnownToNode(name: string): boolean {
  try {
    return Boolean(Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name))
  } catch {
    return false
  }
}
