import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { cancelExport, readExport } from '../../../src/engine/postgres/exports/exports.ts'
import { readGrants } from '../../../src/engine/postgres/access/read-grants.ts'
import { changeSubscription } from '../../../src/engine/postgres/operator/panels.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

/**
 * Defence in depth: every statement names the organisation, and row-level security checks it as well. This file tests
 * each check without the other, so a build without one of the checks fails here.
 */
let world: World
let mine: { organisationId: number }
let theirs: { organisationId: number }

beforeAll(async () => {
  world = await openWorld()
  mine = { organisationId: (await organisation(world, 'mine', { tests: ['dns'], metrics: [] })).id }
  theirs = { organisationId: (await organisation(world, 'theirs', { tests: ['ping'], metrics: ['httpget'] })).id }
  await panel(world, 'my-panel', 'mine', ['whitebox'])
  await panel(world, 'their-panel', 'theirs', ['mobile'])
  await panel(world, 'lent-panel', 'theirs', ['web'])
  await world.operate((operator) =>
    changeSubscription(operator, { panel: 'lent-panel', organisation: 'mine', subscribed: true }),
  )
  await token(world, 'mine')
  await token(world, 'theirs')
  await runSql(
    world.superuserUrl,
    `INSERT INTO custom_fields (organisation_id, key) SELECT id, 'field' FROM organisations`,
  )
  // One export per organisation. Its id begins with the number of the organisation.
  await runSql(
    world.superuserUrl,
    `INSERT INTO exports (id, organisation_id, source, format, request, file_name, request_id, created_at, stored_before, expires_at,
       summary)
     SELECT (lpad(id::text, 8, '0') || '-0000-4000-8000-000000000000')::uuid, id, 'test_data', 'csv', '{}', 'x', 'x', now(), now(),
       now() + interval '1 day', '{}'
     FROM organisations`,
  )
  // In each panel, insert an agent whose erasure has not finished. In the panel of `mine`, also insert an agent whose
  // erasure has finished.
  await runSql(
    world.superuserUrl,
    `INSERT INTO erasures (agent_number, panel_id, finished_at)
     SELECT 1000 + id, id, NULL FROM panels UNION ALL SELECT 1004, id, now() FROM panels WHERE key = 'my-panel'`,
  )
})
afterAll(() => world.close())

describe('the organisation in the statement, without row-level security', () => {
  it('isolates organisations for a role that row-level security does not restrict', async () => {
    const postgres = openPostgres({ url: world.superuserUrl, connectionsMax: 2, observe: () => {} })
    const grants = await readGrants(mine, postgres)
    const others = await readGrants(theirs, postgres)
    await postgres.close()
    expect(grants.panels.map(({ key, owned }) => `${key}:${owned}`)).toEqual(['my-panel:true', 'lent-panel:false'])
    expect(grants).toMatchObject({ kinds: ['web', 'whitebox'], tests: ['dns'], metrics: [], erased: [1001, 1003] })
    expect(others.panels.map(({ key, owned }) => `${key}:${owned}`)).toEqual(['their-panel:true', 'lent-panel:true'])
    expect(others).toMatchObject({
      kinds: ['mobile', 'web'],
      tests: ['ping'],
      metrics: ['httpget'],
      erased: [1002, 1003],
    })
  })

  it('isolates exports, for reading and for cancelling', async () => {
    const postgres = openPostgres({ url: world.superuserUrl, connectionsMax: 2, observe: () => {} })
    expect(await readExport(mine, postgres, exportOf(mine))).toMatchObject({ status: 'queued' })
    expect(await readExport(mine, postgres, exportOf(theirs))).toBeNull()
    expect(await cancelExport(mine, postgres, exportOf(theirs))).toBe(false)
    expect(await readExport(theirs, postgres, exportOf(theirs))).toMatchObject({ status: 'queued' })
    await postgres.close()
  })

  it('cannot be omitted', () => {
    const postgres = openPostgres({ url: world.superuserUrl, connectionsMax: 1, observe: () => {} })
    // @ts-expect-error the scope is the first argument
    expect(() => readGrants(postgres)).toBeTypeOf('function')
  })

  it('refuses a scope without an organisation', async () => {
    const postgres = openPostgres({ url: world.superuserUrl, connectionsMax: 1, observe: () => {} })
    const nobody = { organisationId: Number.NaN }
    await expect(readGrants(nobody, postgres)).rejects.toThrow('a scope without an organisation')
    await postgres.close()
  })
})

const exportOf = ({ organisationId }: { organisationId: number }): string =>
  `${String(organisationId).padStart(8, '0')}-0000-4000-8000-000000000000`

/** The rows of every tenant table that the service's role sees in a query without a condition. */
async function visible(organisationId: number | null): Promise<Record<string, string[]>> {
  const client = new Client({ connectionString: world.environment['BROADGAUGE_POSTGRES_URL'] })
  await client.connect()
  try {
    await client.query('BEGIN')
    if (organisationId !== null) {
      await client.query(`SELECT set_config('broadgauge.organisation', $1, true)`, [String(organisationId)])
    }
    const see = async (text: string) =>
      (await client.query<{ it: string }>(text)).rows.map(({ it: row }) => row).toSorted()
    return {
      organisations: await see('SELECT key AS it FROM organisations'),
      panels: await see('SELECT key AS it FROM panels'),
      subscriptions: await see('SELECT panel_id::text AS it FROM panel_subscriptions'),
      entitlements: await see('SELECT key AS it FROM entitlements'),
      agents: await see('SELECT agent_id AS it FROM agents'),
      kinds: await see('SELECT kind AS it FROM panel_kinds'),
      fields: await see('SELECT organisation_id::text AS it FROM custom_fields'),
      exports: await see('SELECT organisation_id::text AS it FROM exports'),
      erasures: await see('SELECT agent_number::text AS it FROM erasures'),
    }
  } finally {
    await client.end()
  }
}

describe('row-level security, without a condition in the statement', () => {
  it("shows the service’s role only rows of the session's organisation", async () => {
    expect(await visible(mine.organisationId)).toEqual({
      organisations: ['mine'],
      panels: ['lent-panel', 'my-panel'],
      subscriptions: [expect.any(String)],
      entitlements: ['dns'],
      agents: ['lent-panel-web', 'my-panel-whitebox'],
      kinds: ['web', 'whitebox'],
      fields: [String(mine.organisationId)],
      exports: [String(mine.organisationId)],
      erasures: ['1001', '1003'],
    })
    expect(await visible(theirs.organisationId)).toMatchObject({
      organisations: ['theirs'],
      panels: ['lent-panel', 'their-panel'],
      entitlements: ['httpget', 'ping'],
      agents: ['lent-panel-web', 'their-panel-mobile'],
    })
  })

  it('shows the service’s role nothing without an organisation', async () => {
    const empty = {
      organisations: [],
      panels: [],
      subscriptions: [],
      entitlements: [],
      agents: [],
      kinds: [],
      fields: [],
      exports: [],
      erasures: [],
    }
    expect(await visible(null)).toEqual(empty)
    expect(await visible(987_654)).toEqual(empty)
  })

  it('is forced on every tenant table, so that it restricts the owner too', async () => {
    const rows = await runSql<{ relname: string }>(
      world.superuserUrl,
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
         AND NOT (relrowsecurity AND relforcerowsecurity)`,
    )
    // The exceptions are the tables that all organisations share, and the list of applied migrations.
    expect(rows.map(({ relname }) => relname).toSorted()).toEqual([
      'isps',
      'package_speeds',
      'packages',
      'schema_migrations',
      'zones',
    ])
  })

  it('lets the service’s role neither read tokens nor write anything', async () => {
    const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
    await expect(runSql(url, 'SELECT * FROM tokens')).rejects.toThrow('permission denied')
    await expect(runSql(url, 'DELETE FROM agents')).rejects.toThrow('permission denied')
    await expect(runSql(url, `INSERT INTO organisations (key, name) VALUES ('x', 'x')`)).rejects.toThrow(
      'permission denied',
    )
    await expect(runSql(url, 'UPDATE panels SET owner_id = 1')).rejects.toThrow('permission denied')
    await expect(runSql(url, 'CREATE TABLE x (y int)')).rejects.toThrow('permission denied')
    await expect(runSql(url, 'ALTER TABLE agents DISABLE ROW LEVEL SECURITY')).rejects.toThrow('must be owner')
    await expect(runSql(url, 'SET ROLE broadgauge_operator')).rejects.toThrow('permission denied')
  })

  it('lets ClickHouse’s role read what dictionaries need, and nothing else', async () => {
    const { password } = new URL(world.environment['BROADGAUGE_POSTGRES_URL'] ?? '')
    expect(password).not.toBe('')
    const granted = await runSql<{ table_name: string; privilege_type: string }>(
      world.superuserUrl,
      `SELECT table_name, privilege_type FROM information_schema.role_table_grants WHERE grantee = 'broadgauge_dictionary'`,
    )
    expect(new Set(granted.map(({ privilege_type }) => privilege_type))).toEqual(new Set(['SELECT']))
    expect(granted.map(({ table_name }) => table_name)).not.toContain('tokens')
  })
})

it('keeps one request’s organisation from the next request on the same connection', async () => {
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  const postgres = openPostgres({ url, connectionsMax: 1, observe: () => {} })
  const scopes = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? mine : theirs))
  const answers = await Promise.all(scopes.map((scope) => readGrants(scope, postgres)))
  for (const [index, answer] of answers.entries()) {
    expect(answer.tests).toEqual(index % 2 === 0 ? ['dns'] : ['ping'])
  }
  const { rows } = await postgres.pool.query('SELECT count(*)::int AS seen FROM panels')
  expect(rows).toEqual([{ seen: 0 }])
  await postgres.close()
})
