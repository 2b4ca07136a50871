import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SpokenError } from '../../../../src/base/fault.ts'
import type { MigrationFile } from '../../../../src/engine/migration-files.ts'
import { forgetSums } from '../../../../src/engine/postgres/rollup/rollup-builds.ts'
import { runMigration, underMigrationLock } from '../../../../src/engine/postgres/schema/migrate.ts'
import type { LockPatience } from '../../../../src/engine/postgres/schema/yielding-change.ts'
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
  // What comes before the lock is undone with it, or the second attempt would fail.
  text: `CREATE TABLE made_by_${column} (x int); ALTER TABLE tokens ADD COLUMN ${column} int`,
})

const asAdmin = (work: (client: Client) => Promise<void>) =>
  underMigrationLock(world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', work)

const migrating = (...[file, patience]: [MigrationFile, LockPatience?]) =>
  asAdmin((client) => runMigration(client, file, patience))

/** Reads a table in a transaction that stays open, as a dump does, until it is told to end. */
async function beginDump(table: string): Promise<() => Promise<void>> {
  const dump = new Client({ connectionString: world.superuserUrl })
  await dump.connect()
  await dump.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`)
  return () => dump.end()
}

/** The longest that any of those waits who read the table one after another for so long. */
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

it('lets others read a table it waits for, and goes on when whoever holds the table is done', async () => {
  const file = altering('patient')
  const endDump = await beginDump('tokens')
  const migration = migrating(file)
  const longest = await longestRead('tokens', 8_000)
  // Somebody did queue behind it, and for no longer than the lock is waited for.
  expect(longest.passedMs).toBeGreaterThan(1_000)
  expect(longest.ranMs).toBeLessThan(5_000)
  expect(await applied(file.name)).toEqual([])
  await endDump()
  await migration
  expect(await applied(file.name)).toHaveLength(1)
  await runSql(world.superuserUrl, 'SELECT patient FROM tokens')
})

it('lets others read what is known of sums while it waits to forget it', async () => {
  await runSql(world.superuserUrl, `INSERT INTO rollup_tests VALUES ('ping', now())`)
  const endDump = await beginDump('rollup_tests')
  const forgetting = asAdmin(forgetSums)
  const longest = await longestRead('rollup_tests', 3_000)
  expect(longest.passedMs).toBeGreaterThan(1_000)
  expect(longest.ranMs).toBeLessThan(5_000)
  await endDump()
  await forgetting
  expect(await runSql(world.superuserUrl, 'SELECT * FROM rollup_tests')).toEqual([])
})

it('says what to do when the lock is not to be had, and leaves nothing behind', async () => {
  const file = altering('refused')
  const endDump = await beginDump('tokens')
  const failure: unknown = await migrating(file, { lockMs: 100, pauseMs: 100, totalMs: 1_000 }).catch(
    (error: unknown) => error,
  )
  await endDump()
  expect(failure).toBeInstanceOf(SpokenError)
  expect(String(failure)).toMatch(/9999_refused\.sql.*pg_stat_activity.*broadgauge migrate again/s)
  expect(await applied(file.name)).toEqual([])
  await migrating(file)
  expect(await applied(file.name)).toHaveLength(1)
})

it('tries nothing again but what a lock has held up', async () => {
  const startedAt = runningMs()
  const wrong = { name: '9999_wrong.sql', checksum: 'wrong', text: 'SELECT 1 / 0' }
  await expect(migrating(wrong)).rejects.toThrow('migration 9999_wrong.sql failed and left nothing behind')
  expect(runningMs() - startedAt).toBeLessThan(5_000)
})
