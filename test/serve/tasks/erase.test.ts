import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { findExportObjects } from '../../../src/engine/objects/export-objects.ts'
import { openObjects } from '../../../src/engine/objects/objects.ts'
import { objectsOptions, readSettings } from '../../../src/serve/config.ts'
import { createProgram } from '../../../src/serve/program.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { pause, until } from '../../faults/attempt.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

/** The texts that could identify the person behind the agent. */
const agentId = 'Box-0815-Q'
const unit = 987_654_321
const mac = '02:aa:bb:cc:0d:ee'
const name = 'Jane Planted'
const needles = [agentId, String(unit), mac, name]

let world: World
let service: Service
let secret: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'homes', owner: 'acme' })
    const rows = [
      agent({ agent_id: agentId, unit_id: String(unit), mac_address: mac }),
      agent({ agent_id: 'neighbour', unit_id: '1001' }),
    ]
    await importAgents(operator, 'homes', asLines(rows.map((row, index) => ({ line: index + 2, row }))), () => {})
  })
  secret = await token(world, 'acme', [
    'data:read',
    'metadata:read',
    'metadata:write',
    'ingest:write',
    'questions:write',
  ])
  service = await world.serve()
  for (const [test, column] of [
    ['httpget', { bytes_sec: 1_000_000 }],
    ['ping', { rtt_avg: 20_000 }],
    ['traceroute', { hop: 3 }],
  ] as const) {
    await storeFacts(
      world,
      test,
      [agentId, 'neighbour'].flatMap((one) =>
        ['2026-01-05', '2026-03-05'].map((day) => ({
          agent: one,
          dtime: `${day} 12:00:00.000`,
          target: 'x',
          ...column,
        })),
      ),
    )
  }
})
afterAll(() => world.close())

const send = (method: string, url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  call(url, {
    method,
    token: `Bearer ${secret}`,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

const api = (path: string): string => `${service.addresses.api}${path}`

const points = (filters: unknown[] = []) => ({
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  filters,
  time: { from: '2026-01-01 00:00', to: '2026-12-31 00:00' },
})

async function run(...words: string[]): Promise<string> {
  let text = ''
  const program = createProgram({ environment: world.environment, write: (part) => (text += part) })
  await program.exitOverride().parseAsync(['node', 'broadgauge', ...words])
  return text
}

async function engine<Row>(query: string): Promise<Row[]> {
  const [node] = world.engine('ADMIN').nodes
  const result = await node?.query({ query, format: 'JSONEachRow' })
  return (await result?.json<Row>()) ?? []
}

/** Searches for the identifying texts in every column of every table of both databases. */
async function findEverywhere(): Promise<string[]> {
  const found: string[] = []
  const tables = await runSql<{ name: string }>(
    world.superuserUrl,
    `SELECT format('%I', relname) AS name FROM pg_class WHERE relkind IN ('r', 'v', 'm') AND relnamespace = 'public'::regnamespace`,
  )
  for (const { name: table } of tables) {
    for (const needle of needles) {
      const rows = await runSql(
        world.superuserUrl,
        `SELECT 1 FROM ${table} AS t WHERE position($1 IN t::text) > 0 LIMIT 1`,
        [needle],
      )
      if (rows.length > 0) found.push(`PostgreSQL ${table}: ${needle}`)
    }
  }
  const engineTables = await engine<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = '${world.name}' AND (engine LIKE '%MergeTree' OR engine = 'Dictionary')`,
  )
  for (const { name: table } of engineTables) {
    for (const needle of needles) {
      const rows = await engine(
        `SELECT 1 FROM ${world.name}.${table} WHERE position(toString(tuple(*)), '${needle}') > 0 LIMIT 1`,
      )
      if (rows.length > 0) found.push(`ClickHouse ${table}: ${needle}`)
    }
  }
  const objects = openObjects(objectsOptions(readSettings(world.environment)))
  found.push(...(await findExportObjects(objects)).map(({ key }) => `object ${key}`))
  objects.close()
  return found
}

it('an agent leaves traces in all three stores', async () => {
  const change = { agent: { unit_id: unit }, metadata: { custom: { customer: name, wave: 'one' } } }
  expect((await send('PUT', api('/metadata'), change)).status).toBe(200)
  const again = { agent: { agent_id: agentId }, metadata: { custom: { customer: name, wave: 'two' } } }
  expect((await send('PUT', api('/metadata'), again)).status).toBe(200)
  const both = { agent: { custom: { wave: 'two' } }, metadata: { timezone: 'Europe/London' } }
  expect((await send('PUT', api('/metadata'), both)).status).toBe(200)
  const neighbour = { agent: { unit_id: 1001 }, metadata: { custom: { wave: 'two' } } }
  expect((await send('PUT', api('/metadata'), neighbour)).status).toBe(200)

  const filters = [{ id: 'agent', filterType: 'include', filterValues: [agentId, 'neighbour'] }]
  expect((await send('POST', api('/metric_data'), points(filters))).status).toBe(200)
  const units = [{ id: 'unit', filterType: 'include', filterValues: [String(unit)] }]
  expect((await send('POST', api('/metric_data'), points(units))).status).toBe(200)
  const inQueryString = 'metric=httpget&aggregation=total&from=2026-01-01&to=2026-12-31'
  for (const more of [
    `filter.agent=${agentId}`,
    `filter.unit=${unit}&filter.unit=1001`,
    `compare.split=agent&compare.base=${agentId}&split=agent`,
  ]) {
    expect((await send('GET', api(`/metric_data?${inQueryString}&${more}`), undefined)).status).toBe(200)
  }
  const saved = { name: 'Two homes', request: points([{ any: [...filters, ...units] }]), parameters: ['agent'] }
  expect((await send('PUT', api('/questions/homes'), saved)).status).toBe(200)
  expect((await send('GET', api(`/questions/homes/data?agent=${agentId}`), undefined)).status).toBe(200)
  const file = await send('POST', api('/test_data.csv'), { test: 'httpget', date: { from: '2026', to: '2026' } })
  expect(file.body['data']).toMatchObject({ status: 'complete', rows: 4 })
  const bad = { agent_id: agentId, dtime: 'yesterday', target: 'x' }
  const ingest = { 'content-type': 'application/x-ndjson' }
  await send('POST', `${service.addresses.ingest}/ingest/ping`, `${JSON.stringify(bad)}\n`, ingest)
  // The service cannot parse these lines as rows, so it does not know their agent.
  const unread = [
    `{"agent_id":"${agentId}","rtt_avg":NaN}`,
    `{"agent_id":"neighbour","agent_id":"${agentId}"}`,
    `{"agent_id":{"serial":"${agentId}"}}`,
    `{"agent":"${agentId}"}`,
    String.raw`{"agent_id":"Box\u002d0815\u002DQ","target":"${name}","rtt_avg":NaN}`,
    `{agent_id: ${agentId}, rtt_avg: 1}`,
    `{"agent_id":"${agentId}`,
    // This line does not contain the agent's id. It contains the same characters, but in two fields.
    '{"agent_id":"neighbour","rtt_avg":NaN,"target":"box","note":"0815q"}',
  ]
  await send('POST', `${service.addresses.ingest}/ingest/ping`, unread.join('\n'), ingest)
  const [node] = world.engine('ADMIN').nodes
  await node?.insert({
    table: `${world.name}.staged_results`,
    values: [
      { raw: unread[0], reason: 'malformed_row', cells: ['', ''] },
      { raw: JSON.stringify(bad), reason: 'unknown_agent', cells: [agentId, ''] },
      { raw: unread.at(-1), reason: 'malformed_row', cells: ['', ''] },
    ],
    format: 'JSONEachRow',
  })

  await until(
    async () => {
      const found = await findEverywhere()
      return [
        'PostgreSQL agents',
        'PostgreSQL metadata_events',
        'PostgreSQL panel_values',
        'PostgreSQL audited_queries',
        'PostgreSQL question_versions',
        'ClickHouse rejected_results',
        'ClickHouse staged_results',
        'ClickHouse agents',
        'object',
      ].every((place) => found.some((one) => one.startsWith(place)))
    },
    15_000,
    500,
  )
}, 60_000)

it('does nothing without --yes, nor for an unknown agent', async () => {
  await expect(run('agent', 'erase', agentId)).rejects.toThrow('cannot be undone')
  await expect(run('agent', 'erase', 'nobody', '--yes')).rejects.toThrow('There is no agent "nobody"')
  for (const words of [
    ['erase', `Ж${agentId}`, '--yes'],
    ['read', `${agentId}é`],
  ])
    await expect(run('agent', ...words)).rejects.toThrow(`There is no agent "${words[1]}"`)
  expect((await send('GET', api(`/metadata/unit/${unit}`), undefined)).status).toBe(200)
})

it('leaves no trace of an erased agent anywhere, and leaves the others unchanged', { timeout: 120_000 }, async () => {
  const [before] = await engine<{ rows: number }>(`SELECT count() AS rows FROM ${world.name}.ping`)
  expect(Number(before?.rows)).toBe(4)
  // Hold the lock of the rollup job, as a running build does. The erasure waits for the lock while the results are
  // still stored. Meanwhile a caller requests a file with these results.
  const building = new Client({ connectionString: world.superuserUrl })
  await building.connect()
  await building.query('SELECT pg_advisory_lock(7041931008)')
  const erasing = run('agent', 'erase', agentId.toLowerCase(), '--yes', '--json')
  const isCancelled = async () =>
    (await runSql(world.superuserUrl, `SELECT FROM exports WHERE status = 'cancelled'`)).length === 1
  await until(isCancelled, 30_000, 100)
  // From now on the agent's results are hidden, even though they are still stored.
  const records = { test: 'httpget', date: { from: '2026', to: '2026' } }
  const file = await send('POST', api('/test_data.csv'), records)
  expect(file.body['data']).toMatchObject({ status: 'complete', rows: 2 })
  expect((await send('POST', api('/test_data'), records)).body['data']).toHaveLength(2)
  const byAgent = { ...points(), splits: ['agent'] }
  expect((await send('POST', api('/metric_data'), byAgent)).body['data']).toMatchObject([
    { metricData: [{ sampleCount: 2, agentCount: 1, agent: 'neighbour' }] },
  ])
  await building.end()
  const proof = JSON.parse(await erasing) as { left: number }[]
  expect(proof.length).toBeGreaterThan(20)
  expect(proof.every(({ left }) => left === 0)).toBe(true)

  expect(await findEverywhere()).toEqual([])
  for (const test of ['httpget', 'ping', 'traceroute']) {
    expect(await engine(`SELECT agent FROM ${world.name}.${test}`), test).toEqual([{ agent: 2 }, { agent: 2 }])
  }
  for (const table of ['rejected_results', 'staged_results']) {
    const rows = await engine(`SELECT raw FROM ${world.name}.${table}`)
    expect(rows, table).toEqual([{ raw: '{"agent_id":"neighbour","rtt_avg":NaN,"target":"box","note":"0815q"}' }])
  }
  expect((await send('GET', api(`/metadata/unit/${unit}`), undefined)).status).toBe(404)
  expect((await send('GET', api('/metadata/unit/1001'), undefined)).body['data']).toMatchObject({
    custom: { wave: 'two' },
  })
  expect((await send('POST', api('/metric_data'), points())).body['data']).toMatchObject([
    { metricData: [{ sampleCount: 2, agentCount: 1 }] },
  ])
  const values = await runSql(
    world.superuserUrl,
    `SELECT value FROM panel_values WHERE subject LIKE 'custom.%' ORDER BY 1`,
  )
  expect(values).toEqual([{ value: 'two' }])
  // The service keeps a record of the erasure, with a number that identifies no person.
  expect(await runSql(world.superuserUrl, 'SELECT agent_number, agent_id, unit_id FROM erasures')).toEqual([
    { agent_number: 1, agent_id: null, unit_id: null },
  ])
  await expect(run('agent', 'erase', agentId, '--yes')).rejects.toThrow('There is no agent')
})

it('continues an interrupted erasure', { timeout: 60_000 }, async () => {
  const row = agent({ agent_id: 'late-1' })
  await world.operate((operator) => importAgents(operator, 'homes', asLines([{ line: 2, row }]), () => {}))
  await storeFacts(world, 'ping', [{ agent: 'late-1', dtime: '2026-01-05 12:00:00.000', target: 'x' }])
  await runSql(world.superuserUrl, `SELECT begin_erasure('late-1')`)
  expect(await run('agent', 'erase', 'LATE1', '--yes')).toContain('ClickHouse ping')
  expect(await engine(`SELECT agent FROM ${world.name}.ping`)).toEqual([{ agent: 2 }, { agent: 2 }])
})

it(
  'continues all interrupted erasures of an agent, also if it was registered again meanwhile',
  { timeout: 60_000 },
  async () => {
    const row = agent({ agent_id: 'back-1' })
    const numbers: number[] = []
    for (const day of ['2026-01-05', '2026-01-06']) {
      await world.operate((operator) => importAgents(operator, 'homes', asLines([{ line: 2, row }]), () => {}))
      await storeFacts(world, 'ping', [{ agent: 'back-1', dtime: `${day} 12:00:00.000`, target: 'x' }])
      const [begun] = await runSql<{ agent_number: number }>(
        world.superuserUrl,
        `SELECT max(agent_number) AS agent_number FROM begin_erasure('back-1')`,
      )
      numbers.push(begun?.agent_number ?? 0)
    }
    expect(new Set(numbers).size).toBe(2)
    // Two events of a request that found the agent before the agent was removed. The first event names only this agent.
    // The second event also names another agent.
    await runSql(
      world.superuserUrl,
      `INSERT INTO metadata_events (organisation_id, kind, from_day, request, agents) VALUES
       (1, 'change', '2026-01-05', '{"late": 1}', ARRAY[$1::integer]),
       (1, 'change', '2026-01-05', '{"late": 2}', ARRAY[2, $1::integer, $2::integer])`,
      numbers,
    )
    const proof = JSON.parse(await run('agent', 'erase', 'back1', '--yes', '--json')) as { left: number }[]
    expect(proof.every(({ left }) => left === 0)).toBe(true)
    expect(await engine(`SELECT agent FROM ${world.name}.ping`)).toEqual([{ agent: 2 }, { agent: 2 }])
    expect(await runSql(world.superuserUrl, 'SELECT FROM erasures WHERE finished_at IS NULL')).toEqual([])
    const events = await runSql(
      world.superuserUrl,
      'SELECT agents, request FROM metadata_events ORDER BY id DESC LIMIT 2',
    )
    expect(events).toEqual([
      { agents: [2], request: { late: 2 } },
      { agents: [], request: null },
    ])
  },
)

/** Registers a new agent on the panel. Returns its number. */
async function registered(newId: string): Promise<number> {
  const row = agent({ agent_id: newId })
  await world.operate((operator) => importAgents(operator, 'homes', asLines([{ line: 2, row }]), () => {}))
  const query = 'SELECT id FROM agents WHERE agent_id = $1'
  const [{ id } = { id: 0 }] = await runSql<{ id: number }>(world.superuserUrl, query, [newId])
  return id
}

/**
 * Starts to insert results of the agent into ClickHouse. Each result takes half a second. The function returns the
 * promise inside an object, so that `await storeSlowly()` does not wait for the inserts.
 */
async function storeSlowly(id: number, results: number, batch: string) {
  const storing = world.engine('ADMIN').nodes[0]?.command({
    query: `INSERT INTO ${world.name}.ping (panel, agent, dtime, target)
            SELECT 1, ${id}, toDateTime64('2026-01-05 12:00:00', 3, 'UTC'), toString(sleepEachRow(0.5)) FROM numbers(${results})`,
    clickhouse_settings: { max_block_size: '1', insert_deduplication_token: batch },
  })
  const own = `SELECT 1 FROM system.processes WHERE query_kind = 'Insert' AND position(query, '${world.name}') > 0`
  await until(async () => (await engine(own)).length > 0, 5_000)
  return { storing }
}

it('waits for results that ingest had checked while the agent was registered', { timeout: 60_000 }, async () => {
  const id = await registered('slow-1')
  // Simulate an ingest request that has stalled before its end, because of its sender or its instance.
  const { storing } = await storeSlowly(id, 12, 'as-ingest-has-one')
  expect(await run('agent', 'erase', 'slow-1', '--yes')).toContain('ClickHouse ping')
  await storing
  expect(await engine(`SELECT agent FROM ${world.name}.ping`)).toEqual([{ agent: 2 }, { agent: 2 }])
})

it('waits for results that are stored from staged rows after the erasure has begun', { timeout: 60_000 }, async () => {
  const id = await registered('slow-2')
  // The rollup lock delays the erasure at a step after its first check for running inserts.
  const builder = new Client(world.superuserUrl)
  await builder.connect()
  await builder.query('SELECT pg_advisory_lock(7041931008)')
  const erasing = run('agent', 'erase', 'slow-2', '--yes')
  await until(
    async () =>
      (await runSql(world.superuserUrl, `SELECT 1 FROM erasures WHERE agent_number = ${id} AND finished_at IS NULL`))
        .length > 0,
    5_000,
  )
  await pause(3_000)
  const { storing } = await storeSlowly(id, 20, 'as-a-batch-sent-again')
  await builder.end()
  expect(await erasing).toContain('ClickHouse ping')
  await storing
  expect(await engine(`SELECT agent FROM ${world.name}.ping WHERE agent = ${id}`)).toEqual([])
})

it('reads timelines only while no instance publishes changes', { timeout: 60_000 }, async () => {
  await registered('quiet-1')
  const publisher = new Client(world.superuserUrl)
  await publisher.connect()
  await publisher.query('SELECT pg_advisory_lock(7041931003)')
  const readAt = async () => {
    const [found] = await engine<{ at: string }>(
      `SELECT toString(max(last_successful_update_time)) AS at FROM system.dictionaries
       WHERE database = '${world.name}' AND name = 'timeline_recent'`,
    )
    return found?.at
  }
  const before = await readAt()
  const erasing = run('agent', 'erase', 'quiet-1', '--yes')
  await pause(3_000)
  expect(await readAt()).toBe(before)
  await publisher.end()
  expect(await erasing).toContain('ClickHouse ping')
})

const askedWith = async (text: string): Promise<string[]> =>
  (
    await runSql<{ body: string }>(world.superuserUrl, 'SELECT body FROM audited_queries WHERE strpos(body, $1) > 0', [
      text,
    ])
  ).map(({ body }) => body)

it('does not redact queries that contain its number but are not about an agent', { timeout: 60_000 }, async () => {
  await registered('386')
  const of = (id: string) => points([{ id, filterType: 'include', filterValues: ['386'] }])
  for (const id of ['isp', 'agent']) expect((await send('POST', api('/metric_data'), of(id))).status).toBe(200)
  expect(await askedWith('["386"]')).toHaveLength(2)
  expect(await run('agent', 'erase', '386', '--yes')).toContain('PostgreSQL audited_queries')
  expect(await askedWith('["386"]')).toEqual([expect.stringContaining('"id":"isp"')])
})

it('redacts an id that is the base of a comparison', { timeout: 60_000 }, async () => {
  await registered('base-1')
  const body = { ...points([]), splits: ['agent'], compare: { split: 'agent', base: 'base-1' } }
  expect((await send('POST', api('/metric_data'), body)).status).toBe(200)
  expect(await askedWith('"base-1"')).toHaveLength(1)
  expect(await run('agent', 'erase', 'base-1', '--yes')).toContain('PostgreSQL audited_queries')
  expect(await askedWith('base-1')).toEqual([])
})

it('finds an id in queries whatever characters it has', { timeout: 60_000 }, async () => {
  const odd = String.raw`a'b\c"d%_`
  await registered(odd)
  const filters = [{ id: 'agent', filterType: 'exclude', filterValues: [odd, 'neighbour'] }]
  expect((await send('POST', api('/metric_data'), points(filters))).status).toBe(200)
  expect(await askedWith(JSON.stringify(odd))).toHaveLength(1)
  await run('agent', 'erase', odd, '--yes')
  expect(await askedWith(JSON.stringify(odd))).toEqual([])
  expect(await askedWith('"exclude","filterValues":["erased","neighbour"]')).toHaveLength(1)
})
