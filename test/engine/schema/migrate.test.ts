import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changedFunctions, findFunctionFiles, pendingMigrations } from '../../../src/engine/migration-files.ts'
import { runMigrations, underMigrationLock } from '../../../src/engine/postgres/schema/migrate.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const adminUrl = () => world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? ''

async function startAgain(): Promise<void> {
  await runSql(world.superuserUrl, 'DROP SCHEMA public CASCADE')
  await runSql(world.superuserUrl, 'CREATE SCHEMA public AUTHORIZATION bg_admin')
  await runSql(world.superuserUrl, 'GRANT USAGE ON SCHEMA public TO PUBLIC')
}

const file = (name: string, checksum = name) => ({ name, checksum, text: '' })

it('lets four migrations run concurrently: one works, the others find it done', async () => {
  // Empty the PostgreSQL database. The ClickHouse database of this world is empty already.
  await startAgain()
  const settings = readSettings(world.environment)
  const reports = await Promise.all([1, 2, 3, 4].map(() => migrate(settings)))
  const worked = reports.filter(({ postgres, clickhouse }) => postgres.length + clickhouse.length > 0)
  expect(worked).toHaveLength(1)
  expect(worked[0]?.postgres).toEqual(expect.arrayContaining(['0001_roles_and_functions.sql', 'functions/access.sql']))
  expect(worked[0]?.clickhouse.join()).toContain('table httpget')
})

it('defines every function that a numbered file declares', async () => {
  const declared = await runSql(
    world.superuserUrl,
    `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc LIKE '%declared, not defined%'`,
  )
  expect(declared).toEqual([])
  expect(await runSql(world.superuserUrl, `SELECT identifier_key('A-b:1') AS key`)).toEqual([{ key: 'ab1' }])
})

it('replaces a changed function while a transaction that called it is open, and restores it in the next run', async () => {
  const count = 'SELECT sum(exports)::integer AS exports FROM count_exports()'
  const exportFunctions = (await findFunctionFiles()).find(({ name }) => name === 'functions/exports.sql')
  const text = exportFunctions?.text.replace('SELECT e.status, count(*)', "SELECT 'queued', 41 + count(*)") ?? ''
  const edited = { name: 'functions/exports.sql', text: text.replace(' GROUP BY e.status', ''), checksum: 'edited' }
  const reader = new Client({ connectionString: world.environment['BROADGAUGE_POSTGRES_URL'] })
  await reader.connect()
  try {
    await reader.query(`BEGIN; ${count}; SELECT FROM exports; SELECT FROM organisations`)
    await underMigrationLock(adminUrl(), (client) =>
      // With these timeouts the migration fails at once if it has to wait for a lock.
      runMigrations(client, { numbered: [], functions: [edited] }, { lockMs: 500, pauseMs: 1, totalMs: 1 }),
    )
    expect(await runSql(world.superuserUrl, count)).toEqual([{ exports: 41 }])
    // A transaction may call the old function body until the transaction ends.
    await reader.query('COMMIT')
    expect((await reader.query(count)).rows).toEqual([{ exports: 41 }])
    const { postgres } = await migrate(readSettings(world.environment))
    expect(postgres).toEqual(['functions/exports.sql'])
    expect((await reader.query(count)).rows).toEqual([{ exports: null }])
  } finally {
    await reader.end()
  }
})

it('restores a function that was altered by hand, without reporting a change', async () => {
  await runSql(world.superuserUrl, 'ALTER FUNCTION count_exports RESET search_path')
  expect(await migrate(readSettings(world.environment))).toEqual({ postgres: [], clickhouse: [], objects: [] })
  const pinned = `SELECT FROM pg_proc WHERE proname = 'count_exports' AND proconfig IS NOT NULL`
  expect(await runSql(world.superuserUrl, pinned)).toHaveLength(1)
})

it('undoes numbered files together with the functions that fail after them', async () => {
  const numbered = [{ name: '9999_table.sql', checksum: 'x', text: 'CREATE TABLE half_way (x int)' }]
  const functions = [{ name: 'functions/wrong.sql', checksum: 'x', text: 'CREATE OR REPLACE FUNCTION purge() broken' }]
  const failing = underMigrationLock(adminUrl(), (client) => runMigrations(client, { numbered, functions }))
  await expect(failing).rejects.toThrow('functions/wrong.sql failed and left nothing behind')
  const left = `SELECT FROM schema_migrations WHERE name IN ('9999_table.sql', 'functions/wrong.sql')`
  expect(await runSql(world.superuserUrl, left)).toEqual([])
  expect(await runSql(world.superuserUrl, `SELECT to_regclass('half_way') AS found`)).toEqual([{ found: null }])
})

it('detects that the connection with the lock is lost, instead of migrating concurrently with another process', async () => {
  const attempt = underMigrationLock(adminUrl(), async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await runSql(world.superuserUrl, 'SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return 'went on'
  })
  await expect(attempt).rejects.toThrow('lock was lost')
})

it('changes nothing the second time', async () => {
  expect(await migrate(readSettings(world.environment))).toEqual({ postgres: [], clickhouse: [], objects: [] })
})

it('stops if an applied file has been changed, in either store', async () => {
  await runSql(world.superuserUrl, `UPDATE schema_migrations SET checksum = 'other'`)
  await expect(migrate(readSettings(world.environment))).rejects.toThrow('was changed after it had been applied')
})

it('refuses an inconsistent history: a missing file, a changed one, one out of order', () => {
  const files = [file('0001'), file('0002'), file('0003')]
  expect(pendingMigrations(files, [])).toEqual(files)
  expect(pendingMigrations(files, [file('0001')]).map(({ name }) => name)).toEqual(['0002', '0003'])
  expect(() => pendingMigrations(files, [file('0004')])).toThrow('downgrade')
  expect(() => pendingMigrations(files, [file('0001', 'other')])).toThrow('was changed')
  expect(() => pendingMigrations(files, [file('0001'), file('0003')])).toThrow('0002 is numbered before 0003')
})

it('finds the files of functions that the database has in another version or not at all', () => {
  const files = [file('functions/a.sql'), file('functions/b.sql')]
  const found = changedFunctions(files, [file('functions/a.sql', 'other'), file('functions/b.sql'), file('0001')])
  expect(found.map(({ name }) => name)).toEqual(['functions/a.sql'])
  expect(changedFunctions(files, [])).toEqual(files)
  // The order and the checksums of function files are not checked: a changed or removed file does not stop a migration.
  expect(pendingMigrations([file('0001')], [file('functions/gone.sql'), file('0001')])).toEqual([])
})

it('leaves nothing behind when a file fails half-way', async () => {
  const failing = underMigrationLock(adminUrl(), async (client) => {
    await client.query('CREATE TABLE half_way (x int)')
    throw new Error('half-way')
  })
  await expect(failing).rejects.toThrow('half-way')
  // The failed migration has released the lock.
  await expect(underMigrationLock(adminUrl(), async () => 'free')).resolves.toBe('free')
})
