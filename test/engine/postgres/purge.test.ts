import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Observation } from '../../../src/base/observe.ts'
import { openPostgres, type Postgres } from '../../../src/engine/postgres/postgres.ts'
import { purgeExpired } from '../../../src/jobs/purge-expired.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let postgres: Postgres

beforeAll(async () => {
  world = await openWorld()
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  postgres = openPostgres({ url, connectionsMax: 2, observe: () => {} })
  await organisation(world, 'acme')
  await token(world, 'acme')
})
afterAll(async () => {
  await postgres.close()
  await world.close()
})
beforeEach(() => sql('TRUNCATE ingest_batches'))

const sql = <Row extends Record<string, unknown>>(text: string) => runSql<Row>(world.superuserUrl, text)

/**
 * Inserts `count` batches that began `days` days ago. The service stored them at the same time, unless `stored` is
 * false.
 */
const batches = (test: string, count: number, days: number, { rejected = 0, stored = true } = {}) =>
  sql(`INSERT INTO ingest_batches (organisation_id, test, sha256, begun_at, stored_at, rejected)
       SELECT 1, '${test}', sha256(n::text::bytea), now() - interval '${days} days',
              CASE WHEN ${stored} THEN now() - interval '${days} days' END, ${rejected}
       FROM generate_series(1, ${count}) AS n`)

/**
 * Adds a trigger that records how many rows each DELETE statement removes. Returns a function that reads the maximum
 * and the sum of these numbers.
 */
async function notePortions(table: string): Promise<() => Promise<unknown>> {
  const noted = `portions_of_${table}`
  await sql(`CREATE TABLE ${noted} (rows bigint);
    CREATE FUNCTION note_${noted}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      'BEGIN INSERT INTO public.${noted} SELECT count(*) FROM gone; RETURN NULL; END';
    CREATE TRIGGER portions AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION note_${noted}()`)
  return async () => (await sql(`SELECT max(rows)::integer AS most, sum(rows)::integer AS total FROM ${noted}`))[0]
}

/** The number of rows of `table` that the purge function reads. */
async function rowsRead(table: string, purge: string): Promise<number | undefined> {
  const client = new Client({ connectionString: world.superuserUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query(`SELECT ${purge}`)
  const { rows } = await client.query<{ read: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::integer AS read FROM pg_stat_xact_user_tables WHERE relname = '${table}'`,
  )
  await client.end()
  return rows[0]?.read
}

it('purges batches in portions, until no expired one is left', async () => {
  const portions = await notePortions('ingest_batches')
  await batches('whole', 25_000, 31)
  await batches('young', 10, 29)
  await batches('rejected', 10, 389, { rejected: 1 })
  await batches('unfinished', 10, 389, { stored: false })
  await batches('rejected-old', 12_000, 391, { rejected: 1 })
  await batches('unfinished-old', 10, 391, { stored: false })
  await purgeExpired(postgres, 400, () => {}).close()
  const left = await sql('SELECT test, count(*)::integer FROM ingest_batches GROUP BY 1 ORDER BY 1')
  expect(left).toEqual(['rejected', 'unfinished', 'young'].map((test) => ({ test, count: 10 })))
  expect(await portions()).toEqual({ most: 10_000, total: 37_010 })
})

it('does not read the batches whose rejected rows are kept', async () => {
  await batches('rejected', 20_000, 100, { rejected: 1 })
  await batches('whole', 100, 31)
  await sql('ANALYZE ingest_batches')
  expect(await rowsRead('ingest_batches', `purge('ingest_batches', '30 days', 10000)`)).toBeLessThan(1_000)
})

it('runs the other purges if one fails, and reports its error', async () => {
  await sql('ALTER TABLE ingest_batches RENAME COLUMN rejected TO renamed')
  await sql(`INSERT INTO users (organisation_id, name, role) VALUES (1, 'joan', 'administrator');
    INSERT INTO people_events (happened_at, organisation_id, user_id, kind)
    SELECT now() - interval '3 years', 1, id, 'signed-in' FROM users`)
  const seen: Observation[] = []
  const purge = purgeExpired(postgres, 400, (observation) => void seen.push(observation))
  await purge.close()
  expect(await sql('SELECT FROM people_events')).toEqual([])
  expect(seen).toMatchObject([{ kind: 'store-error', store: 'PostgreSQL', error: { code: '42703' } }])
  await sql('ALTER TABLE ingest_batches RENAME COLUMN renamed TO rejected')
})

it('forgets the numbers of instances that have sent no counts for a day', async () => {
  await sql(`INSERT INTO recorded_calls (instance, number, recorded_at)
    SELECT gen_random_uuid(), hours, now() - hours * interval '1 hour' FROM unnest('{23, 25}'::integer[]) AS hours`)
  await purgeExpired(postgres, 400, () => {}).close()
  expect(await sql('SELECT number::integer FROM recorded_calls')).toEqual([{ number: 23 }])
})

const callsOf = (count: number, daysAgo: number) =>
  sql(`INSERT INTO api_calls (organisation_id, token_id, endpoint, status, day, calls)
       SELECT 1, 1, 'GET /' || n, 200, (now() AT TIME ZONE 'UTC')::date - ${daysAgo}, 1 FROM generate_series(1, ${count}) AS n`)

it('removes counts of calls older than 400 days, in portions, and reads no others', async () => {
  const portions = await notePortions('api_calls')
  await callsOf(25_000, 401)
  await callsOf(20_000, 399)
  await callsOf(10, 0)
  await purgeExpired(postgres, 400, () => {}).close()
  const left = await sql('SELECT count(*)::integer FROM api_calls GROUP BY day ORDER BY day')
  expect(left).toEqual([{ count: 20_000 }, { count: 10 }])
  expect(await portions()).toEqual({ most: 10_000, total: 25_000 })
  await callsOf(100, 401)
  await sql('ANALYZE api_calls')
  expect(await rowsRead('api_calls', `purge('api_calls', '400 days', 10000)`)).toBeLessThan(1_000)
})

it('removes the buckets of tokens unused for a day, in portions, and keeps buckets with a negative balance', async () => {
  const portions = await notePortions('limit_buckets')
  const bucket = (kind: string, subject: string, balance: number, age: string) =>
    sql(`INSERT INTO limit_buckets (kind, subject, balance, filled_at)
         VALUES ('${kind}', '${subject}', ${balance}, now() - interval '${age}')`)
  await sql(`INSERT INTO limit_buckets (kind, subject, balance, filled_at)
    SELECT 'requests', 't' || n, 1, now() - interval '25 hours' FROM generate_series(1, 25000) AS n`)
  await bucket('engine-ms', 't1', 1, '25 hours')
  await bucket('engine-ms', 't2', -1, '31 days')
  await bucket('engine-ms', 't3', -1, '29 days')
  await bucket('engine-ms', 't4', 1, '23 hours')
  await bucket('requests', 'o1', 1, '31 days')
  await purgeExpired(postgres, 400, () => {}).close()
  expect(await sql('SELECT subject FROM limit_buckets ORDER BY subject')).toEqual(
    ['o1', 't3', 't4'].map((subject) => ({ subject })),
  )
  expect(await portions()).toEqual({ most: 10_000, total: 25_002 })
})
