import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { limits } from '../../../src/base/limits.ts'
import { bind, sql, statement } from '../../../src/base/sql.ts'
import {
  customValue,
  ispName,
  packageName,
  spanAsOf,
  spanAttribute,
} from '../../../src/compile/metric/metadata-as-of.ts'
import { reloadDictionaries } from '../../../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { lockNumbers } from '../../../src/engine/postgres/advisory-locks.ts'
import { compactDictionaries } from '../../../src/jobs/dictionaries/reconcile-dictionaries.ts'
import { openPostgres, type Postgres } from '../../../src/engine/postgres/postgres.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { until } from '../../faults/attempt.ts'
import { call } from '../../kit/call.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { runSql } from '../../kit/run-sql.ts'

let world: World
let service: Service
let authorization: string
const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
/** True if the stack has several shards. Then each query takes five times as long. */
const isSharded = Number(process.env['BROADGAUGE_TEST_SHARDS'] ?? 0) > 1
const agents = deep ? 10_000 : 2_000
const trials = deep ? 100 : 15
const { shards } = inject('run')

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const names = ['One', 'Two', 'Three'].map((name) => ({
    isp: 'Acme',
    package: name,
    download_bits_sec: null,
    upload_bits_sec: null,
  }))
  await world.operate(async (operator) => {
    await importPackages(operator, asLines(names.map((row, line) => ({ line, row }))), () => {})
    await createPanel(operator, { key: 'homes', name: 'x', owner: 'acme' })
    const lines = Array.from({ length: agents }, (_, index) => ({
      line: index,
      row: agent({ agent_id: `a-${index}` }),
    }))
    await importAgents(operator, 'homes', asLines(lines), () => {})
  })
  authorization = `Bearer ${await token(world, 'acme', ['metadata:write', 'metadata:read'])}`
  service = await world.serve()
  await put({ isp: undefined, timezone: undefined, agent_id: 'a-0' }, { custom: { all: 'no' } })
  await insertFacts()
}, 120_000)
afterAll(() => world.close())

async function put(
  selector: Record<string, unknown>,
  metadata: Record<string, unknown>,
  extra: Record<string, unknown> = {},
) {
  const answer = await call(`${service.addresses.api}/metadata`, {
    method: 'PUT',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: selector, metadata, ...extra }),
  })
  expect(answer.body).toEqual({ code: 'OK', message: 'Request successful' })
}

/**
 * Inserts results of eleven days, one per day and agent. The last day is tomorrow, because the test may run past
 * midnight.
 */
async function insertFacts(): Promise<void> {
  const [node] = world.engine('INGEST').nodes
  await node?.command({
    query: `INSERT INTO ${world.name}.ping (panel, agent, dtime, target, rtt_avg, successes, failures)
            SELECT 1, 1 + number % ${agents}, toStartOfDay(now('UTC')) + toIntervalDay(1 - intDiv(number, ${agents})) + 1, 't', 1000, 1, 0
            FROM numbers(${agents * 11})`,
    clickhouse_settings: { distributed_foreground_insert: 1, async_insert: 0 },
  })
}

/** The number of rows for each package and custom value, as a metric with both splits would count them. */
async function byPackage(from: 'today' | 'all' = 'today'): Promise<Record<string, number>> {
  const database = world.name
  const when = from === 'today' ? sql`toDate(dtime) = toDate(now('UTC'))` : sql`dtime <= now('UTC')`
  const field = await runSql<{ id: number }>(world.superuserUrl, `SELECT id FROM custom_fields WHERE key = 'all'`)
  const query = statement(sql`
    WITH ${spanAsOf(database)} AS span
    SELECT ${packageName(database, spanAttribute(database, 'package_id', sql`span`))} AS package,
      ${ispName(database, spanAttribute(database, 'isp_id', sql`span`))} AS isp,
      ${customValue(database, sql`${bind('UInt32', field[0]?.id ?? 0)}`, sql`span`)} AS custom, toUInt32(count()) AS rows
    FROM ${sql`ping`} WHERE panel = 1 AND ${when} GROUP BY ALL`)
  const [node] = world.engine('QUERY').nodes
  const result = await node?.query({
    query: query.text.replace('FROM ping', `FROM ${database}.ping`),
    query_params: query.params,
    format: 'JSONEachRow',
  })
  const rows =
    (await result?.json<{ package: string | null; isp: string | null; custom: string | null; rows: number }>()) ?? []
  return Object.fromEntries(rows.map((row) => [`${row.package}/${row.isp}/${row.custom}`, row.rows]))
}

/** Changes one agent without publishing the change. The service also does not publish a change of too many agents. */
const changeUnpublished = (agentId: string, wanted: string) => changeAgents(`agent_id = '${agentId}'`, wanted)

const changeAgents = (which: string, wanted: string) =>
  runSql(
    world.superuserUrl,
    `BEGIN; SET LOCAL broadgauge.organisation = '1';
     SELECT change_metadata(ARRAY(SELECT id FROM agents WHERE ${which}), 1, 'large', '{}',
       (now() AT TIME ZONE 'UTC')::date, true, 1, (SELECT id FROM packages WHERE name = '${wanted}'), false,
       NULL::smallint, '{}', '{}', false);
     COMMIT`,
  )

/** Runs `work` with connections to PostgreSQL as the service's role, without an instance. */
async function withPostgres<Result>(work: (postgres: Postgres) => Promise<Result>): Promise<Result> {
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  const postgres = openPostgres({ url, connectionsMax: 4, observe: () => {} })
  try {
    return await work(postgres)
  } finally {
    await postgres.close()
  }
}

it('shows a change to a metric query within 5 s of the response', { timeout: 300_000 }, async () => {
  const times: number[] = []
  for (let trial = 0; trial < trials; trial += 1) {
    const name = ['One', 'Two', 'Three'][trial % 3]
    await put({ agent_id: `a-${trial}` }, { package: `Acme:${name}`, custom: { all: `v${trial}` } })
    times.push(await until(async () => (await byPackage())[`Acme:${name}/Acme/v${trial}`] === 1, 5_000))
  }
  const worst = Math.max(...times)
  console.log(`freshness: ${trials} trials, ${agents} agents, ${shards} shard(s): worst ${worst.toFixed(0)} ms`)
  expect(worst).toBeLessThan(5_000)
})

it('looks metadata up as of each measurement, not as of today', async () => {
  const ago = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400
  await put({ agent_id: 'a-100' }, { package: 'Acme:One', custom: { all: 'past' } }, { backdate_from: ago(8) })
  await put({ agent_id: 'a-100' }, { package: 'Acme:Two' }, { backdate_from: ago(3) })
  const counts = () => byPackage('all').then((all) => [all['Acme:One/Acme/past'], all['Acme:Two/Acme/past']])
  await until(async () => (await counts())[1] === 4, 5_000)
  // The last 4 days have the second package, and the 5 days before them have the first package. Earlier days have
  // neither.
  expect(await counts()).toEqual([5, 4])
})

it('sees a change that another instance made, and one made while no instance was running', async () => {
  const other = await world.serve()
  const first = service
  service = other
  await put({ agent_id: 'a-200' }, { package: 'Acme:Three', custom: { all: 'other' } })
  expect(await until(async () => (await byPackage())['Acme:Three/Acme/other'] === 1, 5_000)).toBeLessThan(5_000)
  await other.stop('the test')
  service = first
})

it('never shows a value that is neither the old nor the new one', { timeout: deep ? 1_800_000 : 300_000 }, async () => {
  const puts = deep ? 1_000 : isSharded ? 20 : 60
  const queriesWanted = deep ? 10_000 : isSharded ? 100 : 400
  await put({ agent_id: 'a-300' }, { package: 'Acme:One', custom: { all: 'w' } })
  await until(async () => (await byPackage())['Acme:One/Acme/w'] === 1, 5_000)
  const before = await byPackage()
  const postgres = openPostgres({
    url: world.environment['BROADGAUGE_POSTGRES_URL'] ?? '',
    connectionsMax: 4,
    observe: () => {},
  })
  let writing = true
  let queries = 0
  let wrong = 0
  const ask = async () => {
    while (writing || queries < queriesWanted) {
      const seen = await byPackage()
      queries += 1
      const total = Object.values(seen).reduce((sum, rows) => sum + rows, 0)
      const mine = ['One', 'Two'].reduce((sum, name) => sum + (seen[`Acme:${name}/Acme/w`] ?? 0), 0)
      if (total !== agents || mine !== 1 || seen['null/null/null'] !== before['null/null/null']) wrong += 1
    }
  }
  const readers = [ask(), ask(), ask()]
  for (let index = 0; index < puts; index += 1) {
    await put({ agent_id: 'a-300' }, { package: `Acme:${index % 2 === 0 ? 'Two' : 'One'}` })
    // Run the compaction from time to time. It moves every row from the small dictionaries to the large ones.
    if (index % 20 === 10)
      await compactDictionaries(
        { postgres, clickhouse: world.engine('DICTIONARY'), observe: () => {} },
        Number.MAX_VALUE,
      )
  }
  writing = false
  await Promise.all(readers)
  await postgres.close()
  console.log(`${queries} queries during ${puts} changes: ${wrong} wrong`)
  expect(wrong).toBe(0)
})

const unpublished = () => runSql(world.superuserUrl, 'SELECT FROM find_uncompacted_events() WHERE NOT published')

/**
 * The number of rows without a package, for one agent and day. The query looks up so many rows that the timeline
 * changes while the query runs.
 */
async function withoutPackage(agentNumber: number, daysAgo: number): Promise<number> {
  const day = sql`toStartOfDay(now('UTC')) - toIntervalDay(${bind('UInt8', daysAgo)})`
  const { text, params } = statement(sql`
    WITH ${spanAsOf(world.name)} AS span SELECT toUInt32(countIf(${spanAttribute(world.name, 'package_id', sql`span`)} = 0)) AS none
    FROM (SELECT materialize(toUInt32(${bind('UInt32', agentNumber)})) AS agent, materialize(${day}) AS dtime FROM numbers(2000000))`)
  const result = await world
    .engine('QUERY')
    .nodes[0]?.query({ query: text, query_params: params, format: 'JSONEachRow' })
  const [row] = (await result?.json<{ none: number }>()) ?? []
  return row?.none ?? Number.NaN
}

it(
  'shows a past day as before or after a change, also if the change removes later spans',
  async () => {
    const ago = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400
    const change = (name: string, days: number) =>
      put({ agent_id: 'a-302' }, { package: `Acme:${name}` }, { backdate_from: ago(days), overwrite_all: true })
    await change('One', 25)
    await until(async () => (await withoutPackage(303, 8)) === 0, 5_000)
    const waitPublished = () => until(async () => (await unpublished()).length === 0, 5_000)
    let changing = true
    let wrong = 0
    const reading = Promise.all(
      [1, 2].map(async () => {
        while (changing) wrong += await withoutPackage(303, 8)
      }),
    )
    for (let round = 0; round < (deep ? 50 : 6); round += 1) {
      // Make three spans with the first three changes. The last change replaces them with one span. Then the timeline
      // has that span, and before it an empty span that begins in 1970.
      await change('One', 20)
      await change('Two', 10)
      await change('Three', 5)
      await waitPublished()
      await change('Two', 25)
      await waitPublished()
    }
    changing = false
    await reading
    expect(wrong).toBe(0)
  },
  deep ? 600_000 : 120_000,
)

it('shows the old or the new value, also if compaction was impossible for more than an hour', async () => {
  await put({ agent_id: 'a-350' }, { package: 'Acme:One', custom: { all: 'hour' } })
  await until(async () => (await byPackage())['Acme:One/Acme/hour'] === 1, 5_000)
  await service.stop('the test')
  const engine = world.engine('DICTIONARY')
  const compact = (nodes: typeof engine.nodes) =>
    withPostgres((postgres) =>
      compactDictionaries({ postgres, clickhouse: { ...engine, nodes }, observe: () => {} }, Number.MAX_VALUE),
    )
  await compact(engine.nodes)
  // The events were compacted so long ago that the small dictionaries contain none of them.
  await runSql(world.superuserUrl, `UPDATE metadata_events SET compacted_at = now() - interval '1 minute'`)
  await reloadDictionaries(engine, 'small')
  await changeUnpublished('a-350', 'Two')
  const longAgo = `now() - interval '61 minutes'`
  await runSql(world.superuserUrl, `UPDATE metadata_events SET recorded_at = ${longAgo} WHERE compacted_at IS NULL`)
  await runSql(world.superuserUrl, `UPDATE retired_spans SET retired_at = ${longAgo}`)
  const dying = engine.nodes.map((node): typeof node =>
    Object.create(node, {
      command: {
        value: (parameters: Parameters<typeof node.command>[0]) =>
          parameters.query.includes('custom_values') ? Promise.reject(new Error('dead')) : node.command(parameters),
      },
    }),
  )
  await expect(compact(dying)).rejects.toThrow('dead')
  expect((await byPackage())['Acme:One/Acme/hour']).toBe(1)
  await compact(engine.nodes)
  expect((await byPackage())['Acme:Two/Acme/hour']).toBe(1)
  service = await world.serve()
})

it('shows a change that went directly into the large dictionaries, although the small ones have the agent', async () => {
  await put({ agent_id: 'a-400' }, { package: 'Acme:One', custom: { all: 'early' } })
  await until(async () => (await byPackage())['Acme:One/Acme/early'] === 1, 5_000)
  // No instance runs from here on, so the change is not published. The service also does not publish a change that is
  // too large.
  await service.stop('the test')
  await changeUnpublished('a-400', 'Two')
  const compacted = await withPostgres((postgres) =>
    compactDictionaries({ postgres, clickhouse: world.engine('DICTIONARY'), observe: () => {} }, Number.MAX_VALUE),
  )
  expect(compacted).toBe(true)
  expect((await byPackage())['Acme:Two/Acme/early']).toBe(1)
})

it('shows it also if the compacting instance died before the small dictionaries were reloaded', async () => {
  await changeUnpublished('a-400', 'Three')
  const { nodes, ...engine } = world.engine('DICTIONARY')
  const dying = nodes.map((node): typeof node =>
    Object.create(node, {
      command: {
        value: (parameters: Parameters<typeof node.command>[0]) =>
          parameters.query.includes('_recent') ? Promise.reject(new Error('dead')) : node.command(parameters),
      },
    }),
  )
  const compacting = withPostgres((postgres) =>
    compactDictionaries({ postgres, clickhouse: { ...engine, nodes: dying }, observe: () => {} }, Number.MAX_VALUE),
  )
  await expect(compacting).rejects.toThrow('dead')
  expect((await byPackage())['Acme:Two/Acme/early']).toBe(1)
  service = await world.serve()
  expect(await until(async () => (await byPackage())['Acme:Three/Acme/early'] === 1, 5_000)).toBeLessThan(5_000)
  await until(async () => {
    const rows = await runSql(
      world.superuserUrl,
      'SELECT FROM metadata_events WHERE compacted_at IS NOT NULL AND NOT evicted',
    )
    return rows.length === 0
  }, 5_000)
})

it('shows a change within 5 s also while other agents change continuously', { timeout: 120_000 }, async () => {
  // Hold the compaction lock. With millions of agents, another instance can hold it for minutes.
  const compacting = new Client({ connectionString: world.superuserUrl })
  await compacting.connect()
  onTestFinished(() => compacting.end())
  await compacting.query('SELECT pg_advisory_lock($1)', [lockNumbers.compactMetadata])
  // PostgreSQL's statistics now say that few spans were replaced in the last hour, and the changes below replace 50,000.
  await runSql(world.superuserUrl, 'ANALYZE')
  for (let changed = 0; changed <= limits.publishedAgentsMax; changed += 1_000)
    await changeAgents('id BETWEEN 501 AND 1500', changed % 2_000 === 0 ? 'One' : 'Two')
  await put({ agent_id: 'a-1700' }, { package: 'Acme:Two', custom: { all: 'among' } })
  expect(await until(async () => (await byPackage())['Acme:Two/Acme/among'] === 1, 5_000)).toBeLessThan(5_000)
  const uncompacted = 'SELECT sum(agents)::integer AS changes FROM find_uncompacted_events()'
  const [waiting] = await runSql<{ changes: number }>(world.superuserUrl, uncompacted)
  expect(waiting?.changes).toBeGreaterThan(limits.publishedAgentsMax)
})

it('causes no mutation in ClickHouse', async () => {
  for (const node of world.engine('ADMIN').nodes) {
    const result = await node.query({
      query: `SELECT count() AS n FROM system.mutations WHERE database = '${world.name}'`,
      format: 'JSONEachRow',
    })
    expect(await result.json()).toEqual([{ n: 0 }])
  }
})
