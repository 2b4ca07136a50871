import { Client } from 'pg'
import { limits } from '../../../base/limits.ts'
import { SpokenError } from '../../../base/fault.ts'
import {
  type AppliedMigration,
  findMigrationFiles,
  type MigrationFile,
  pendingMigrations,
} from '../../migration-files.ts'
import { lockNumbers } from '../advisory-locks.ts'
import { speaking } from '../postgres.ts'
import { changeYielding, type LockPatience } from './yielding-change.ts'

/**
 * Runs `work` while no other migration of this database runs, of whichever store: ClickHouse has no lock of its own
 * that spans nodes, so PostgreSQL lends its. A waiting migration then finds everything done.
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
  // Without the connection there is no lock: somebody else may be migrating from that moment on.
  const lost = new Promise<never>((_, reject) => {
    client.on('error', (error) =>
      reject(new SpokenError('The connection that held the migration lock was lost.', error)),
    )
  })
  lost.catch(() => {}) // raced with below
  await speaking(() => client.connect())
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockNumbers.migrate])
    return await Promise.race([work(client), lost])
  } finally {
    await client.end() // ends the lock too
  }
}

/** Brings the schema up to date and answers the names of the files that ran. */
export async function migratePostgres(client: Client): Promise<string[]> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`)
  const applied = await client.query<AppliedMigration>('SELECT name, checksum FROM schema_migrations ORDER BY name')
  const pending = pendingMigrations(await findMigrationFiles('postgres'), applied.rows)
  for (const file of pending) await runMigration(client, file)
  await revokeTemporary(client)
  return pending.map(({ name }) => name)
}

/**
 * Leaves the right to create temporary tables and functions to the owner of the database. At every run: neither a dump nor a
 * template carries the rights on a database.
 */
export async function revokeTemporary(client: Client): Promise<void> {
  if (!(await publicHasTemporary(client))) return
  await client.query(`
    DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$`)
  if (await publicHasTemporary(client)) {
    throw new SpokenError(
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

/** The file and its line in the ledger commit together or not at all. */
export async function runMigration(
  client: Client,
  { name, text, checksum }: MigrationFile,
  patience?: LockPatience,
): Promise<void> {
  const run = async () => {
    await client.query(text)
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum])
  }
  try {
    await changeYielding(client, `Migration ${name}`, run, patience)
  } catch (error) {
    if (error instanceof SpokenError) throw error
    throw new Error(`migration ${name} failed and left nothing behind`, { cause: error })
  }
}

/**
 * Adds the zones that may be given to agents: those PostgreSQL and Node both know, by PostgreSQL's spelling. The engine need
 * not know them, because queries bring their offsets along. Never removes one: spans name them by number. Answers how many
 * were added.
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

/** Not judged by `Intl.supportedValuesOf`, which leaves out `UTC`, `Asia/Kolkata` and `US/Eastern`. */
function isKnownToNode(name: string): boolean {
  try {
    return Boolean(Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name))
  } catch {
    return false
  }
}
