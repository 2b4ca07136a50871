import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Observation } from '../../../../src/base/observe.ts'
import { addAuditRecords, dropAuditMonths } from '../../../../src/engine/postgres/audit/audit-records.ts'
import { findAuditedQueries } from '../../../../src/engine/postgres/operator/audit.ts'
import { openPostgres, type Postgres } from '../../../../src/engine/postgres/postgres.ts'
import { purgeExpired } from '../../../../src/jobs/purge-expired.ts'
import { organisation } from '../../../kit/panels.ts'
import { runSql } from '../../../kit/run-sql.ts'
import { runningMs } from '../../../kit/running-time.ts'
import { openWorld, type World } from '../../../kit/world.ts'

let world: World
let postgres: Postgres
let serviceUrl: string

beforeAll(async () => {
  world = await openWorld()
  serviceUrl = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  postgres = openPostgres({ url: serviceUrl, connectionsMax: 10, observe: () => {} })
  await organisation(world, 'acme')
})
afterAll(async () => {
  await postgres.close()
  await world.close()
})

const sql = <Row extends Record<string, unknown>>(text: string) => runSql<Row>(world.superuserUrl, text)

const question = (asked_at: string, requestId: string = randomUUID()) => ({
  asked_at,
  id: randomUUID(),
  organisation: 1,
  token: 1,
  endpoint: 'POST /test_data',
  request_id: requestId,
  trace_id: null,
  body: '{}',
  panels: [1, 2],
  range_clock: 'utc',
  range_from: '2026-01-01T00:00:00',
  range_to: '2026-01-31T23:59:59',
})

const add = (...questions: ReturnType<typeof question>[]) => addAuditRecords(postgres.pool, questions)

const partitions = async (): Promise<string[]> => {
  const found = await sql<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_records'::regclass ORDER BY 1`,
  )
  return found.map(({ name }) => name)
}

const find = (since: string, until: string, narrowed = {}) =>
  world.operate((operator) =>
    findAuditedQueries(operator, {
      organisation: null,
      token: null,
      requestId: null,
      traceId: null,
      endpoint: null,
      status: null,
      since: Temporal.Instant.from(since),
      until: Temporal.Instant.from(until),
      rowsMax: 100,
      ...narrowed,
    }),
  )

/**
 * Holds a read lock on the audit trail in an open transaction, as a dump does. Returns a function that ends the
 * transaction.
 */
async function beginDump(): Promise<() => Promise<void>> {
  const dump = new Client({ connectionString: world.superuserUrl })
  await dump.connect()
  await dump.query('BEGIN; LOCK TABLE audit_records IN ACCESS SHARE MODE')
  return () => dump.end()
}

describe('records of a month without a partition', () => {
  it('are added, whichever of several instances is first, also while a dump reads the trail', async () => {
    const endDump = await beginDump()
    await Promise.all(Array.from({ length: 10 }, () => add(question('2031-05-31T23:59:59.999Z'))))
    await endDump()
    expect(await find('2031-05-01T00:00Z', '2031-06-01T00:00Z')).toHaveLength(10)
    expect(await partitions()).toContain('audit_records_2031_05')
  })

  it("are in the UTC month on both sides of its boundary, whatever the session's time zone", async () => {
    const client = new Client({ connectionString: serviceUrl })
    await client.connect()
    await client.query(`SET TimeZone = 'America/New_York'`)
    await addAuditRecords(client, [question('2031-06-30T23:59:59.999Z'), question('2031-07-01T00:00:00.000Z')])
    await client.end()
    expect(await sql('SELECT count(*)::int FROM audit_records_2031_06')).toEqual([{ count: 1 }])
    expect(await sql('SELECT count(*)::int FROM audit_records_2031_07')).toEqual([{ count: 1 }])
  })
})

it('the trail has one row per query, whatever is added about its outcome', async () => {
  const asked = question('2031-08-01T00:00:00.000Z', 'export')
  const { asked_at, id } = asked
  const unfinished = question('2031-08-02T00:00:00.000Z', 'unfinished')
  await add(asked, unfinished)
  const finished = { finished_at: '2031-08-01T00:00:01.000Z', status: 200, complete: true }
  await addAuditRecords(postgres.pool, [{ asked_at, id, ...finished, rows: null, bytes: null, engine_ms: null }])
  await addAuditRecords(postgres.pool, [{ asked_at, id, rows: 5_000_000_000, bytes: 7, engine_ms: 1.5 }])
  const span = ['2031-08-01T00:00Z', '2031-09-01T00:00Z'] as const
  const exported = {
    asked_at: '2031-08-01 00:00:00.000',
    organisation: 'acme',
    token: 1,
    endpoint: 'POST /test_data',
    status: 200,
    complete: 1,
    rows: 5_000_000_000,
    bytes: 7,
    engine_ms: 1.5,
    range_clock: 'utc',
    range_from: '2026-01-01T00:00:00',
    range_to: '2026-01-31T23:59:59',
    panels: [1, 2],
    request_id: 'export',
    trace_id: null,
    body: '{}',
  }
  const all = await find(...span)
  expect(all).toEqual([expect.objectContaining({ request_id: 'unfinished', status: null, rows: null }), exported])
  expect(Object.keys(all[0] ?? {})).toEqual(Object.keys(exported))
  expect(await find(...span, { status: 200 })).toEqual([exported])
  expect(await find(...span, { organisation: 'acme', requestId: 'export' })).toEqual([exported])
  expect(await find(...span, { rowsMax: 1 })).toEqual([all[0]])
  expect(await find(...span, { token: 2 })).toEqual([])
  expect(await find(...span, { traceId: 'x' })).toEqual([])
  expect(await find(...span, { endpoint: 'POST /metric_data' })).toEqual([])
  expect(await find(span[0], '2031-08-02T00:00:00Z')).toEqual([exported])
})

it('the service can append to the trail, and neither read nor change it', async () => {
  await add(question('2031-09-01T00:00:00.000Z'))
  await expect(runSql(serviceUrl, 'SELECT * FROM audited_queries')).rejects.toThrow('permission denied')
  for (const table of ['audit_records', 'audit_records_2031_09']) {
    await expect(runSql(serviceUrl, `SELECT * FROM ${table}`)).rejects.toThrow('permission denied')
    await expect(runSql(serviceUrl, `DELETE FROM ${table}`)).rejects.toThrow('permission denied')
    await expect(runSql(serviceUrl, `UPDATE ${table} SET body = ''`)).rejects.toThrow('permission denied')
  }
})

describe('expired months', () => {
  const daysAgo = (days: number) => Temporal.Now.instant().subtract({ hours: 24 * days })
  const partitionOf = (at: Temporal.Instant) => `audit_records_${at.toString().slice(0, 7).replace('-', '_')}`

  it('are dropped by the purge job, and no record before its expiry', async () => {
    const ages = Array.from({ length: 200 }, (_, index) => index)
    await add(...ages.map((days) => question(daysAgo(days).toString())))
    const seen: Observation[] = []
    await purgeExpired(postgres, 60, (observation) => void seen.push(observation)).close()
    expect(seen).toEqual([])
    const left = new Set(await partitions())
    for (const days of ages) {
      if (days <= 60) expect(left).toContain(partitionOf(daysAgo(days)))
      if (days > 60 + 31) expect(left).not.toContain(partitionOf(daysAgo(days)))
    }
  })

  it('stay while a dump reads them, and queries wait a second at most', async () => {
    const old = daysAgo(1000)
    await add(question(old.toString()))
    const endDump = await beginDump()
    const startedAt = runningMs()
    const dropping = dropAuditMonths(postgres, 60).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await add(question('2031-10-01T00:00:00.000Z'))
    expect(runningMs() - startedAt).toBeLessThan(4_000)
    expect(await dropping).toMatchObject({ code: '55P03' })
    await endDump()
    expect(await partitions()).toContain(partitionOf(old))
    await dropAuditMonths(postgres, 60)
    expect(await partitions()).not.toContain(partitionOf(old))
  })
})
