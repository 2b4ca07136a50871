import { afterAll, beforeAll, expect, it } from 'vitest'
import { findMigrationFiles, pendingMigrations } from '../../../src/engine/migration-files.ts'
import { runMigration, underMigrationLock } from '../../../src/engine/postgres/schema/migrate.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function startAgain(): Promise<void> {
  await runSql(world.superuserUrl, 'DROP SCHEMA public CASCADE')
  await runSql(world.superuserUrl, 'CREATE SCHEMA public AUTHORIZATION bg_admin')
  await runSql(world.superuserUrl, 'GRANT USAGE ON SCHEMA public TO PUBLIC')
}

/** The schema as it was before a migration, with all those before it. */
async function startBefore(name: string): Promise<void> {
  await startAgain()
  await runSql(
    world.superuserUrl,
    `CREATE TABLE schema_migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz DEFAULT now());
     ALTER TABLE schema_migrations OWNER TO bg_admin`,
  )
  const files = await findMigrationFiles('postgres')
  await underMigrationLock(world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', async (client) => {
    for (const earlier of files.filter((one) => one.name < name)) await runMigration(client, earlier)
  })
}

const file = (name: string, checksum = name) => ({ name, checksum, text: '' })

it('lets four migrations run at once: one works, the others find it done', async () => {
  // From nothing, in PostgreSQL too.
  await startAgain()
  const settings = readSettings(world.environment)
  const reports = await Promise.all([1, 2, 3, 4].map(() => migrate(settings)))
  const worked = reports.filter(({ postgres, clickhouse }) => postgres.length + clickhouse.length > 0)
  expect(worked).toHaveLength(1)
  expect(worked[0]?.postgres).toContain('0001_tenancy.sql')
  expect(worked[0]?.clickhouse.join()).toContain('table httpget')
})

it('brings a database with agents from the first version up to date', async () => {
  await startBefore('0002')
  await runSql(
    world.superuserUrl,
    `INSERT INTO organisations (key, name) VALUES ('acme', 'acme');
     INSERT INTO panels (key, name, owner_id) VALUES ('p', 'p', 1);
     INSERT INTO agents (panel_id, kind, agent_id, unit_id) VALUES (1, 'whitebox', 'a', 1), (1, 'whitebox', 'b', 2);`,
  )
  await migrate(readSettings(world.environment))
  const timelines = await runSql(
    world.superuserUrl,
    'SELECT agent_id, from_day::text, days::text FROM current_metadata ORDER BY 1',
  )
  expect(timelines).toEqual([1, 2].map((agent) => ({ agent_id: agent, from_day: '1970-01-01', days: '{1970-01-01}' })))
})

it('keeps a published file imported for the only panel of its organisation', async () => {
  await startBefore('0041')
  await runSql(
    world.superuserUrl,
    `INSERT INTO organisations (key, name) VALUES ('one', 'one'), ('two', 'two');
     INSERT INTO panels (key, name, owner_id) VALUES ('p', 'p', 1), ('q', 'q', 2), ('r', 'r', 2);
     INSERT INTO import_files (organisation_id, test, path, bytes, modified_at, finished_at) VALUES
       (1, 'ping', 'whole', 9, now(), now()), (1, 'ping', 'begun', 9, now(), NULL), (2, 'ping', 'whole', 9, now(), now()),
       (1, 'units of p from 2020-01-01', 'whole', 9, now(), now());`,
  )
  await migrate(readSettings(world.environment))
  const text =
    'SELECT organisation_id, path, finished_at IS NOT NULL AS done FROM import_files WHERE panel_id IS NOT NULL'
  expect(await runSql(world.superuserUrl, text)).toEqual([{ organisation_id: 1, path: 'whole', done: true }])
  expect(await runSql(world.superuserUrl, 'SELECT FROM import_files WHERE panel_id IS NULL')).toHaveLength(4)
})

it('drops the requests of exports that are finished, and keeps those of others', async () => {
  await startBefore('0048')
  const states = ['queued', 'running', 'complete', 'failed', 'cancelled']
  await runSql(
    world.superuserUrl,
    `INSERT INTO organisations (key, name) VALUES ('one', 'one');
     INSERT INTO exports (id, organisation_id, source, format, request, file_name, request_id, created_at, stored_before, expires_at,
       status, leased_until, rows, bytes)
     SELECT gen_random_uuid(), 1, 'test_data', 'csv', '{}', 'x', 'x', now(), now(), now() + interval '1 day', state,
       CASE state WHEN 'running' THEN now() END, 1, 1 FROM unnest('{${states.join()}}'::text[]) AS state`,
  )
  await migrate(readSettings(world.environment))
  const kept = await runSql<{ status: string }>(
    world.superuserUrl,
    'SELECT status FROM exports WHERE request IS NOT NULL ORDER BY 1',
  )
  expect(kept.map(({ status }) => status)).toEqual(['queued', 'running'])
})

it('notices that the connection with the lock is gone, instead of migrating beside somebody else', async () => {
  const url = world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? ''
  const attempt = underMigrationLock(url, async (client) => {
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

it('stops when an applied file has been changed, in either store', async () => {
  await runSql(world.superuserUrl, `UPDATE schema_migrations SET checksum = 'other'`)
  await expect(migrate(readSettings(world.environment))).rejects.toThrow('was changed after it had been applied')
})

it('refuses history that does not fit: a vanished file, a changed one, one that comes too late', () => {
  const files = [file('0001'), file('0002'), file('0003')]
  expect(pendingMigrations(files, [])).toEqual(files)
  expect(pendingMigrations(files, [file('0001')]).map(({ name }) => name)).toEqual(['0002', '0003'])
  expect(() => pendingMigrations(files, [file('0004')])).toThrow('downgrade')
  expect(() => pendingMigrations(files, [file('0001', 'other')])).toThrow('was changed')
  expect(() => pendingMigrations(files, [file('0001'), file('0003')])).toThrow('0002 is numbered before 0003')
})

it('leaves nothing behind when a file fails half-way', async () => {
  const url = world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? ''
  const failing = underMigrationLock(url, async (client) => {
    await client.query('CREATE TABLE half_way (x int)')
    throw new Error('half-way')
  })
  await expect(failing).rejects.toThrow('half-way')
  // The lock is free again.
  await expect(underMigrationLock(url, async () => 'free')).resolves.toBe('free')
})
