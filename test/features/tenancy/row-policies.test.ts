import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stackDown, stackUp } from '../../../devstack/index.ts'
import { statement } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { rowPolicies } from '../../../src/compile/schema/row-policies.ts'
import { dictionaryGroups } from '../../../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { readSettings, type ClickHouseRole } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token, unitOf } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

/**
 * Defence in depth in ClickHouse: row policies. The development ClickHouse reads the policies only from a file that
 * names the database and the tables. So this test starts its own ClickHouse, with the database that the file names.
 */
const name = `wall-${randomBytes(3).toString('hex')}`
const database = 'broadgauge'
let world: World
let base: string
let ingestBase: string
let mine: string
let theirs: string

beforeAll(async () => {
  world = await openWorld({ stack: await stackUp({ name }) })
  world.environment['BROADGAUGE_CLICKHOUSE_DATABASE'] = database
  await migrate(readSettings(world.environment))
  for (const [organisationKey, panelKey] of [
    ['mine', 'my-panel'],
    ['theirs', 'their-panel'],
  ] as const) {
    await organisation(world, organisationKey)
    await panel(world, panelKey, organisationKey, ['whitebox'])
  }
  const result = { dtime: '2026-01-05 12:00:00.000', bytes_sec: 1_000_000, target: 'server' }
  await storeFacts(world, 'httpget', [
    { ...result, agent: 'my-panel-whitebox' },
    { ...result, agent: 'their-panel-whitebox' },
    { ...result, agent: 'their-panel-whitebox', dtime: '2026-01-05 13:00:00.000' },
  ])
  mine = await token(world, 'mine')
  theirs = await token(world, 'theirs')
  const { api, ingest } = (await world.serve()).addresses
  base = api
  ingestBase = ingest
}, 120_000)
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await stackDown({ name, wipe: true })
  }
}, 60_000)

async function ask(role: ClickHouseRole, query: string, comment?: unknown): Promise<string> {
  const [node] = world.engine(role).nodes
  const settings = comment === undefined ? {} : { log_comment: JSON.stringify(comment) }
  const result = await node?.query({ query, format: 'TabSeparated', clickhouse_settings: settings })
  return (await result?.text())?.trim() ?? ''
}

const post = (path: string, secret: string, body: unknown) =>
  call(`${base}${path}`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function run(command: string[], environment = world.environment): Promise<string> {
  let text = ''
  const program = createProgram({ environment, write: (part) => (text += part) })
  await program.exitOverride().parseAsync(['node', 'broadgauge', ...command])
  return text
}

const written = (format: string, environment: Record<string, string>): Promise<string> =>
  run(['row-policies', '--format', format], environment)

describe.each(['QUERY', 'STREAM', 'EXPORT'] as const)('the %s user', (role) => {
  it('sees only rows of the panels named in the comment, in a statement without a condition', async () => {
    const all = `SELECT count() FROM ${database}.httpget`
    expect(await ask('ADMIN', all)).toBe('3')
    expect(await ask(role, all, { panels: [1] })).toBe('1')
    expect(await ask(role, all, { panels: [2] })).toBe('2')
    expect(await ask(role, all, { panels: [1, 2] })).toBe('3')
  })

  it.each([[undefined], [{}], [{ panels: [] }], [{ panels: 'all' }], [{ panels: ['1 OR 1'] }], ['1'], [[1]]])(
    'sees no row with the comment %j',
    async (comment) => {
      expect(await ask(role, `SELECT count() FROM ${database}.httpget`, comment)).toBe('0')
    },
  )

  it('sees nothing of the tables that are not for callers', async () => {
    await world.engine('ADMIN').nodes[0]?.command({
      query: `INSERT INTO ${database}.rejected_results (organisation, test) SELECT 1, 'ping'`,
    })
    expect(Number(await ask('ADMIN', `SELECT count() FROM ${database}.rejected_results`))).toBeGreaterThan(0)
    expect(await ask(role, `SELECT count() FROM ${database}.rejected_results`, { panels: [1, 2] })).toBe('0')
  })

  it('is restricted on every table of the catalogue', async () => {
    const user = world.environment[`BROADGAUGE_CLICKHOUSE_${role}_USER`]
    const present = await ask(
      'ADMIN',
      `SELECT table, select_filter FROM system.row_policies WHERE database = '${database}' AND has(apply_to_list, '${user}')
       AND table NOT LIKE '%_shard' ORDER BY table`,
    )
    const wanted = rowPolicies(catalog, false).map(
      ({ table, filter }) => `${table}\t${statement(filter).text.replaceAll("'", "\\'")}`,
    )
    expect(present.split('\n')).toEqual(wanted.toSorted())
    // Find tables without a policy in ClickHouse's own list, not with the function that writes the policies. If that
    // function missed a table, all tenants could read the table.
    const open = await ask(
      'ADMIN',
      `SELECT name FROM system.tables WHERE database = '${database}' AND engine <> 'Dictionary' AND name NOT LIKE '%_shard' AND name NOT IN
         (SELECT table FROM system.row_policies WHERE database = '${database}' AND has(apply_to_list, '${user}')) ORDER BY name`,
    )
    expect(open.split('\n')).toEqual(['scanned_facts', 'schema_migrations'])
  })
})

const dictionaries = Object.values(dictionaryGroups).flat(2)

describe.each(['QUERY', 'STREAM', 'EXPORT', 'INGEST'] as const)('dictionaries and the %s user', (role) => {
  const denied = { code: '497' }

  it('the user reads none by SELECT, by a join, or by a table function over tables', async () => {
    const present = await ask('ADMIN', `SELECT name FROM system.dictionaries WHERE database = '${database}' ORDER BY 1`)
    expect(present.split('\n')).toEqual(dictionaries.toSorted())
    for (const dictionary of dictionaries) {
      await expect(ask(role, `SELECT * FROM ${database}.${dictionary}`), dictionary).rejects.toMatchObject(denied)
    }
    const join = `SELECT a.agent_id FROM ${database}.httpget r JOIN ${database}.agents a ON a.id = r.agent`
    await expect(ask(role, join, { panels: [1] })).rejects.toMatchObject(denied)
    await expect(ask(role, `SELECT * FROM merge('${database}', '^agents$')`)).rejects.toThrow(
      /no tables satisfied|Not enough privileges/,
    )
    await expect(ask(role, `SELECT * FROM loop('${database}', 'agents') LIMIT 1`)).rejects.toMatchObject(denied)
  })

  it('the user looks up what statements need by key', async () => {
    expect(await ask(role, `SELECT dictGet('${database}.agents', 'agent_id', 1::UInt64)`)).toBe('my-panel-whitebox')
    expect(await ask(role, `SELECT dictGetKeys('${database}.agents', 'agent_id', 'my-panel-whitebox')`)).toBe('[1]')
    for (const dictionary of dictionaries.filter((one) => one !== 'agents_by_key')) {
      expect(await ask(role, `SELECT dictHas('${database}.${dictionary}', 987654321::UInt64)`), dictionary).toBe('0')
    }
    const byKey = `SELECT dictGet('${database}.agents_by_key', 'id', tuple('mypanelwhitebox'))`
    expect(await ask(role, byKey)).toBe('1')
  })

  it(`the user is ${role === 'EXPORT' ? 'given' : 'refused'} the table function dictionary()`, async () => {
    const read = ask(role, `SELECT count() FROM dictionary('${database}.agents')`)
    // ClickHouse has one privilege, CREATE TEMPORARY TABLE, for both dictionary() and s3(). The export user needs s3()
    // to write exports.
    if (role === 'EXPORT') expect(await read).toBe('2')
    else await expect(read).rejects.toMatchObject(denied)
  })
})

it('doctor finds nothing wrong with the grants and policies of its users', async () => {
  const findings: { check: string; state: string; remark: string }[] = JSON.parse(await run(['doctor', '--json']))
  expect(findings.filter(({ check }) => check.includes('dictionaries as'))).toHaveLength(4)
  expect(findings.filter(({ state }) => state === 'wrong')).toEqual([])
})

it('the ingest user is not restricted: it looks for results that are stored twice', async () => {
  expect(await ask('INGEST', `SELECT count() FROM ${database}.httpget`)).toBe('3')
})

describe('the service with row policies', () => {
  it('answers with the caller’s rows, streamed, aggregated and as a file', async () => {
    for (const [secret, rows] of [
      [mine, 1],
      [theirs, 2],
    ] as const) {
      const request = { test: 'httpget', date: { from: '2026', to: '2026' } }
      const records = await post('/test_data', secret, request)
      expect(records.body['data']).toHaveLength(rows)
      const points = await post('/metric_data', secret, {
        metric: 'httpget',
        chartType: 'aggregate',
        aggregation: 'total',
        normalised: false,
        prefilter: false,
        time: { from: '2026-01-01 00:00', to: '2026-12-31 00:00' },
      })
      expect(points.body['data']).toMatchObject([{ metricData: [{ sampleCount: rows }] }])
      expect((await post('/test_data.csv', secret, request)).body['data']).toMatchObject({ status: 'complete', rows })
    }
  })
})

describe('the service whose users read no dictionary', () => {
  const request = {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: false,
    time: { from: '2026-01-01 00:00', to: '2026-12-31 00:00' },
  }
  const kept = (id: string, ...filterValues: string[]) => ({ id, filterType: 'include', filterValues })
  const dropped = (id: string, ...filterValues: string[]) => ({ id, filterType: 'exclude', filterValues })

  it.each([
    [[kept('agent', 'their-panel-whitebox', 'none')], 2],
    [[kept('agent', 'my-panel-whitebox')], 0],
    [[dropped('agent', 'their-panel-whitebox')], 0],
    [[kept('unit', unitOf('their-panel-whitebox'))], 2],
    [[dropped('unit', unitOf('their-panel-whitebox'))], 0],
    [[kept('country', 'FR', 'GB'), kept('base', 'model-x')], 2],
    [[dropped('country', 'GB')], 0],
    [[dropped('base', 'none'), dropped('isp', 'none'), dropped('package', 'none:none')], 2],
  ])('keeps with the filters %j the same %i results, aggregated, raw and as a file', async (filters, rows) => {
    const splits = ['agent', 'unit', 'country', 'isp']
    const grouped = await post('/metric_data', theirs, { ...request, filters, splits })
    expect(grouped.status, grouped.text).toBe(200)
    const points = (grouped.body['data'] as { metricData: { sampleCount: number }[] }[]).flatMap(
      (one) => one.metricData,
    )
    expect(points.map(({ sampleCount }) => sampleCount)).toEqual(rows === 0 ? [] : [rows])
    const raw = await post('/metric_data', theirs, { ...request, chartType: 'raw', filters })
    expect((raw.body['data'] as { metricData: unknown[] }[])[0]?.metricData).toHaveLength(rows)
    const file = await post('/metric_data.csv', theirs, { ...request, chartType: 'raw', filters })
    expect(file.body['data']).toMatchObject({ status: 'complete', rows })
  })

  it('ingests results, and finds their agents', async () => {
    const secret = await token(world, 'mine', ['ingest:write'])
    const row = {
      agent_id: 'MY-PANEL-whitebox',
      dtime: '2026-02-01 00:00:00',
      target: 'x',
      rtt_avg: 1_000,
      successes: 1,
      failures: 0,
    }
    const { status, body, text } = await call(`${ingestBase}/ingest/ping`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/x-ndjson' },
      body: [row, { ...row, agent_id: 'their-panel-whitebox' }].map((one) => JSON.stringify(one)).join('\n'),
    })
    expect(status, text).toBe(200)
    expect(body['data']).toMatchObject({ accepted: 1, rejected: 1 })
  })
})

describe('broadgauge row-policies', () => {
  it('writes the file of the development stack, so that the file follows the catalogue', async () => {
    const cluster = { ...world.environment, BROADGAUGE_CLICKHOUSE_CLUSTER: 'broadgauge' }
    expect(await written('xml', cluster)).toBe(readFileSync('devstack/clickhouse/users.d/row-policies.xml', 'utf8'))
  })

  it('writes statements for a server that stores policies itself', async () => {
    const statements = await written('sql', world.environment)
    expect(statements.trim().split('\n')).toHaveLength(rowPolicies(catalog, false).length)
    expect(statements).toContain(
      "CREATE ROW POLICY OR REPLACE broadgauge_panels ON broadgauge.httpget USING has(JSONExtract(getSetting('log_comment'), 'panels', 'Array(UInt32)'), panel) TO bg_query, bg_stream, bg_export;",
    )
  })
})
