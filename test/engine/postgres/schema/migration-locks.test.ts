import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { UserFacingError } from '../../../../src/base/fault.ts'
import type { MigrationFile } from '../../../../src/engine/migration-files.ts'
import { deleteRollupRecords } from '../../../../src/engine/postgres/rollup/rollup-builds.ts'
import { runMigrations, underMigrationLock } from '../../../../src/engine/postgres/schema/migrate.ts'
import type { LockTimeouts } from '../../../../src/engine/postgres/schema/yielding-change.ts'
import { runSql } from '../../../kit/run-sql.ts'
import { runningMs, stopwatch, type Taken } from '../../../kit/running-time.ts'
import { openWorld, type World } from '../../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const altering = (column: string) => ({
  name: `9999_${column}.sql`,
  checksum: column,
  // If the second statement fails to get its lock, PostgreSQL must roll back the first one too. Otherwise the next
  // attempt would fail because the table exists.
  text: `CREATE TABLE made_by_${column} (x int); ALTER TABLE tokens ADD COLUMN ${column} int`,
})

const asAdmin = (work: (client: Client) => Promise<void>) =>
  underMigrationLock(world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', work)

const migrating = (...[file, patience]: [MigrationFile, LockTimeouts?]) =>
  asAdmin((client) => runMigrations(client, { numbered: [file], functions: [] }, patience))

/**
 * Holds a read lock on a table in an open transaction, as a dump does. Returns a function that ends the transaction.
 */
async function beginDump(table: string): Promise<() => Promise<void>> {
  const dump = new Client({ connectionString: world.superuserUrl })
  await dump.connect()
  await dump.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`)
  return () => dump.end()
}

/** Reads the table again and again for `forMs` milliseconds. Returns the duration of the slowest read. */
async function longestRead(table: string, forMs: number): Promise<Taken> {
  let longest = { passedMs: 0, ranMs: 0 }
  for (const endsAt = performance.now() + forMs; performance.now() < endsAt;) {
    const taken = stopwatch()
    await runSql(world.superuserUrl, `SELECT count(*) FROM ${table}`)
    const { passedMs, ranMs } = taken()
    longest = { passedMs: Math.max(longest.passedMs, passedMs), ranMs: Math.max(longest.ranMs, ranMs) }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return longest
}

const applied = (name: string) =>
  runSql(world.superuserUrl, 'SELECT name FROM schema_migrations WHERE name = $1', [name])

it('lets others read a table it waits for, and continues when the holder of the table ends', async () => {
  const file = altering('patient')
  const endDump = await beginDump('tokens')
  const migration = migrating(file)
  const longest = await longestRead('tokens', 8_000)
  // At least one reader waited behind the migration, but not longer than the migration's lock timeout.
  expect(longest.passedMs).toBeGreaterThan(1_000)
  expect(longest.ranMs).toBeLessThan(5_000)
  expect(await applied(file.name)).toEqual([])
  await endDump()
  await migration
  expect(await applied(file.name)).toHaveLength(1)
  await runSql(world.superuserUrl, 'SELECT patient FROM tokens')
})

it('lets others read the rollup tables while it waits to clear them', async () => {
  await runSql(world.superuserUrl, `INSERT INTO rollup_tests VALUES ('ping', now())`)
  const endDump = await beginDump('rollup_tests')
  const forgetting = asAdmin(deleteRollupRecords)
  const longest = await longestRead('rollup_tests', 3_000)
  expect(longest.passedMs).toBeGreaterThan(1_000)
  expect(longest.ranMs).toBeLessThan(5_000)
  await endDump()
  await forgetting
  expect(await runSql(world.superuserUrl, 'SELECT * FROM rollup_tests')).toEqual([])
})

it('says what to do if it cannot get the lock, and leaves nothing behind', async () => {
  const file = altering('refused')
  const endDump = await beginDump('tokens')
  const failure: unknown = await migrating(file, { lockMs: 100, pauseMs: 100, totalMs: 1_000 }).catch(
    (error: unknown) => error,
  )
  await endDump()
  expect(failure).toBeInstanceOf(UserFacingError)
  expect(String(failure)).toMatch(/9999_refused\.sql.*pg_stat_activity.*broadgauge migrate again/s)
  expect(await applied(file.name)).toEqual([])
  await migrating(file)
  expect(await applied(file.name)).toHaveLength(1)
})

it('retries only after a lock timeout', async () => {
  const startedAt = runningMs()
  const wrong = { name: '9999_wrong.sql', checksum: 'wrong', text: 'SELECT 1 / 0' }
  await expect(migrating(wrong)).rejects.toThrow('migration 9999_wrong.sql failed and left nothing behind')
  expect(runningMs() - startedAt).toBeLessThan(5_000)
})
