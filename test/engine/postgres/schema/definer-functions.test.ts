import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeTemporary, underMigrationLock } from '../../../../src/engine/postgres/schema/migrate.ts'
import { runSql } from '../../../kit/run-sql.ts'
import { openWorld, type World } from '../../../kit/world.ts'

/**
 * A definer function runs as the owner of the schema, so a table, function or operator of the caller's that it takes for
 * one of ours runs as the owner too.
 */
let world: World
let serviceUrl: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  serviceUrl = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
})
afterAll(() => world.close())

const namesOf = async (text: string): Promise<string[]> =>
  (await runSql<{ name: string }>(world.superuserUrl, text)).map(({ name }) => name)

describe('what the service’s role could put in the way of a definer function', () => {
  it('is searched last: every definer function names pg_catalog, public and then pg_temp', async () => {
    const definers = `SELECT oid::regprocedure::text AS name FROM pg_proc
      WHERE prosecdef AND pronamespace <> 'pg_catalog'::regnamespace`
    expect((await namesOf(definers)).length).toBeGreaterThan(40)
    const pinned = `'search_path=pg_catalog, public, pg_temp' = ANY (coalesce(proconfig, '{}'))`
    expect(await namesOf(`${definers} AND NOT ${pinned}`)).toEqual([])
  })

  it('cannot be created: no role but the owner has TEMPORARY on the database, or CREATE on a schema', async () => {
    const others = `WHERE r.rolname NOT LIKE 'pg\\_%' AND NOT r.rolsuper
      AND r.oid <> (SELECT datdba FROM pg_database WHERE datname = current_database())`
    const temporary = `has_database_privilege(r.oid, current_database(), 'TEMPORARY')`
    const create = `EXISTS (SELECT FROM pg_namespace n WHERE has_schema_privilege(r.oid, n.oid, 'CREATE'))`
    expect(await namesOf(`SELECT rolname AS name FROM pg_roles r ${others}`)).toContain('bg_service')
    expect(await namesOf(`SELECT rolname AS name FROM pg_roles r ${others} AND (${temporary} OR ${create})`)).toEqual(
      [],
    )
    await expect(runSql(serviceUrl, 'CREATE TEMP TABLE limit_buckets (x int)')).rejects.toThrow('permission denied')
    await expect(runSql(serviceUrl, 'CREATE FUNCTION pg_temp.f() RETURNS int RETURN 1')).rejects.toThrow(
      'permission denied',
    )
  })
})

/** Puts a table with a trigger in the place of limit_buckets, has take_requests change it, and says as whom the trigger ran. */
async function runTriggerByDefiner(): Promise<string[]> {
  const client = new Client({ connectionString: serviceUrl })
  await client.connect()
  try {
    await client.query(`
      CREATE TABLE pg_temp.limit_buckets (kind text, subject text, balance double precision, filled_at timestamptz);
      CREATE TABLE pg_temp.seen (who text);
      CREATE FUNCTION pg_temp.note_user() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO pg_temp.seen VALUES (current_user); RETURN NULL; END';
      CREATE TRIGGER noted AFTER UPDATE ON pg_temp.limit_buckets EXECUTE FUNCTION pg_temp.note_user();
      GRANT ALL ON pg_temp.limit_buckets, pg_temp.seen TO PUBLIC;
      SET search_path = pg_temp, public;
      SELECT FROM take_requests(1, 1, 1, 10, 10)`)
    const { rows } = await client.query<{ who: string }>('SELECT who FROM pg_temp.seen')
    return rows.map(({ who }) => who)
  } finally {
    await client.end()
  }
}

it('runs no trigger of the service’s own as the owner, even where the role may create temporary tables', async () => {
  await runSql(world.superuserUrl, `GRANT TEMPORARY ON DATABASE ${world.name} TO bg_service`)
  expect(await runTriggerByDefiner()).toEqual([])
  // The attack itself is sound: a definer function that leaves the search to the caller runs the trigger as its owner.
  await runSql(
    world.superuserUrl,
    `ALTER FUNCTION take_requests(integer, integer, integer, double precision, double precision) RESET search_path`,
  )
  expect(await runTriggerByDefiner()).toEqual(['bg_admin'])
})

it('tells the operator when the role that migrates does not own the database', async () => {
  await runSql(
    world.superuserUrl,
    `GRANT TEMPORARY ON DATABASE ${world.name} TO PUBLIC; ALTER DATABASE ${world.name} OWNER TO postgres`,
  )
  const adminUrl = world.environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? ''
  await expect(underMigrationLock(adminUrl, revokeTemporary)).rejects.toThrow('the owner of the database')
  await runSql(world.superuserUrl, `ALTER DATABASE ${world.name} OWNER TO bg_admin`)
  await underMigrationLock(adminUrl, revokeTemporary)
  const granted = `SELECT has_database_privilege('public', current_database(), 'TEMP') AS public`
  expect(await runSql(world.superuserUrl, granted)).toEqual([{ public: false }])
})
