import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stackDown, stackUp } from '../../devstack/index.ts'
import { statement } from '../../src/base/sql.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { rowPolicies } from '../../src/compile/row-policies.ts'
import { readSettings, type ClickHouseRole } from '../../src/serve/config.ts'
import { migrate } from '../../src/serve/migrate.ts'
import { createProgram } from '../../src/serve/program.ts'
import { call } from '../kit/call.ts'
import { storeFacts } from '../kit/facts.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'

/**
 * The second wall in the engine: row policies. The development engine takes them from a file only, by the names of tables,
 * so the test has engines of its own and the database they are written for.
 */
const name = `wall-${randomBytes(3).toString('hex')}`
const database = 'broadgauge'
let world: World
let base: string
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
  base = (await world.serve()).addresses.api
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

async function written(format: string, environment: Record<string, string>): Promise<string> {
  let text = ''
  const program = createProgram({ environment, write: (part) => (text += part) })
  await program.exitOverride().parseAsync(['node', 'broadgauge', 'row-policies', '--format', format])
  return text
}

describe.each(['QUERY', 'STREAM', 'EXPORT'] as const)('the %s user', (role) => {
  it('sees rows of the panels named in the comment only, in a statement that names none', async () => {
    const all = `SELECT count() FROM ${database}.httpget`
    expect(await ask('ADMIN', all)).toBe('3')
    expect(await ask(role, all, { panels: [1] })).toBe('1')
    expect(await ask(role, all, { panels: [2] })).toBe('2')
    expect(await ask(role, all, { panels: [1, 2] })).toBe('3')
  })

  it.each([[undefined], [{}], [{ panels: [] }], [{ panels: 'all' }], [{ panels: ['1 OR 1'] }], ['1'], [[1]]])(
    'sees none with the comment %j',
    async (comment) => {
      expect(await ask(role, `SELECT count() FROM ${database}.httpget`, comment)).toBe('0')
    },
  )

  it('sees nothing of the tables that are not for callers', async () => {
    await world.engine('ADMIN').nodes[0]?.command({
      query: `INSERT INTO ${database}.audited_queries (organisation, asked_at, id) SELECT 1, now(), generateUUIDv4()`,
    })
    expect(Number(await ask('ADMIN', `SELECT count() FROM ${database}.audited_queries`))).toBeGreaterThan(0)
    expect(await ask(role, `SELECT count() FROM ${database}.audited_queries`, { panels: [1, 2] })).toBe('0')
  })

  it('is bound on every table of the catalogue', async () => {
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
    // Not by the function that writes the policies: a table it forgets would be open to all.
    const open = await ask(
      'ADMIN',
      `SELECT name FROM system.tables WHERE database = '${database}' AND engine <> 'Dictionary' AND name NOT LIKE '%_shard' AND name NOT IN
         (SELECT table FROM system.row_policies WHERE database = '${database}' AND has(apply_to_list, '${user}')) ORDER BY name`,
    )
    expect(open.split('\n')).toEqual(['noted_facts', 'schema_migrations'])
  })
})

it('the ingest user is not bound: it looks for results that are stored twice', async () => {
  expect(await ask('INGEST', `SELECT count() FROM ${database}.httpget`)).toBe('3')
})

describe('the service behind the wall', () => {
  it('answers with what is the caller’s, streamed, aggregated and as a file', async () => {
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

describe('broadgauge row-policies', () => {
  it('writes what the development engine has, so that it follows the catalogue', async () => {
    const cluster = { ...world.environment, BROADGAUGE_CLICKHOUSE_CLUSTER: 'broadgauge' }
    expect(await written('xml', cluster)).toBe(readFileSync('devstack/clickhouse/users.d/row-policies.xml', 'utf8'))
  })

  it('writes statements for a server that keeps policies itself', async () => {
    const statements = await written('sql', world.environment)
    expect(statements.trim().split('\n')).toHaveLength(rowPolicies(catalog, false).length)
    expect(statements).toContain(
      "CREATE ROW POLICY OR REPLACE broadgauge_panels ON broadgauge.httpget USING has(JSONExtract(getSetting('log_comment'), 'panels', 'Array(UInt32)'), panel) TO bg_query, bg_stream, bg_export;",
    )
  })
})
