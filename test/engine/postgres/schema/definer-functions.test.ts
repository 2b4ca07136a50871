import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeTemporary, underMigrationLock } from '../../../../src/engine/postgres/schema/migrate.ts'
import { runSql } from '../../../kit/run-sql.ts'
import { openWorld, type World } from '../../../kit/world.ts'

/**
 * A SECURITY DEFINER function runs as the owner of the schema. If it resolved a name to an object that the caller has
 * created (a table, a function or an operator), code of the caller would run as the owner.
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

describe('objects of the service’s role', () => {
  it('are searched last: every definer function names pg_catalog, public and then pg_temp', async () => {
    const definers = `SELECT oid::regprocedure::text AS name FROM pg_proc
      WHERE prosecdef AND pronamespace <> 'pg_catalog'::regnamespace`
    expect((await namesOf(definers)).length).toBeGreaterThan(40)
    const pinned = `'search_path=pg_catalog, public, pg_temp' = ANY (coalesce(proconfig, '{}'))`
    expect(await namesOf(`${definers} AND NOT ${pinned}`)).toEqual([])
  })

  it('cannot be created: no role except the owner has TEMPORARY on the database, or CREATE on a schema', async () => {
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

/**
 * Creates a temporary table `limit_buckets`, which hides the real table, with a trigger. Then calls take_requests.
 * Returns the role that the trigger ran as, or nothing if it did not run.
 */
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

it('run no trigger as the owner, even if the role may create temporary tables', async () => {
  await runSql(world.superuserUrl, `GRANT TEMPORARY ON DATABASE ${world.name} TO bg_service`)
  expect(await runTriggerByDefiner()).toEqual([])
  // Check that the attack itself works: if the function has no search path, the trigger runs as the owner.
  await runSql(
    world.superuserUrl,
    `ALTER FUNCTION take_requests(integer, integer, integer, double precision, double precision) RESET search_path`,
  )
  expect(await runTriggerByDefiner()).toEqual(['bg_admin'])
})

it('tells the operator if the migrating role does not own the database', async () => {
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
