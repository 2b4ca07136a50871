import { execFile, execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { onDatabase, runSql } from '../../kit/run-sql.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

const run = promisify(execFile)
const path = [process.env['BROADGAUGE_DEVSTACK_POSTGRES_BIN'], process.env['PATH']].filter(Boolean).join(delimiter)

let parent: string
let backup: string
let world: World
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'broadgauge-backup-'))
  backup = join(parent, 'nightly')
  // A ClickHouse server without <timezone> uses the time zone of its machine. This setting makes the server behave as
  // if it ran in New York.
  writeFileSync(join(parent, '.curlrc'), 'url-query = "session_timezone=America/New_York"\n')
  world = await openWorld({ clickhouse: true })
})
afterEach(async () => {
  await world.close()
  rmSync(parent, { recursive: true })
})

/**
 * pg_dump refuses to dump a server that is newer than itself. CI runs this test on PostgreSQL 15, which Debian's
 * pg_dump can dump.
 */
async function canDump(): Promise<boolean> {
  const [server] = await runSql<{ server_version_num: string }>(world.superuserUrl, 'SHOW server_version_num')
  try {
    const said = execFileSync('pg_dump', ['--version'], { env: { PATH: path } }).toString()
    return Number(/ (\d+)\./.exec(said)?.[1]) * 10_000 + 9_999 >= Number(server?.server_version_num)
  } catch {
    return false
  }
}

const script = (name: string, settings: Record<string, string>) =>
  run(join('deploy/backup', name), [backup], {
    env: { PATH: path, CURL_HOME: parent, BROADGAUGE: 'node src/serve/main.ts', ...world.environment, ...settings },
  })

const backUp = (settings: Record<string, string> = {}) =>
  script('backup.sh', { BACKUP_POSTGRES_URL: world.superuserUrl, BACKUP_LAG_SECONDS: '0', ...settings })

/**
 * Dumps PostgreSQL again into the existing backup. So the test can change data between the ClickHouse part and the
 * PostgreSQL part of a backup.
 */
const dumpLater = () =>
  run('pg_dump', ['--format=custom', `--file=${join(backup, 'postgres.dump')}`, world.superuserUrl], {
    env: { PATH: path },
  })

async function loseAndRestore(): Promise<void> {
  await loseEverything()
  await script('restore.sh', { RESTORE_POSTGRES_URL: world.superuserUrl })
}

const post = (url: string, authorization: string, body: string, type = 'application/json') =>
  call(url, { method: 'POST', token: authorization, headers: { 'content-type': type }, body })

/** The responses with charts, with records and with the history of an agent, to compare byte by byte. */
async function answers(api: string, data: string, metadata: string): Promise<string[]> {
  const chart = { metric: 'latency', chartType: 'aggregate', normalised: true, prefilter: true, splits: ['isp'] }
  const time = { from: '2026-04-01 00:00', to: '2026-04-30 00:00' }
  const charts = ['daily', 'total'].map((aggregation) =>
    post(`${api}/metric_data`, data, JSON.stringify({ ...chart, aggregation, time, panel: 'synthetic' })),
  )
  const date = { from: '2026-04', to: '2026-04' }
  const records = post(`${api}/test_data`, data, JSON.stringify({ test: 'latency', date, panel: 'synthetic' }))
  const history = call(`${api}/metadata/agent/synthetic0000002/history`, { token: `Bearer ${metadata}` })
  const all = await Promise.all([...charts, records, history])
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  return all.map(({ text }) => text)
}

async function loseEverything(): Promise<void> {
  const server = onDatabase(world.superuserUrl, 'postgres')
  await runSql(server, `DROP DATABASE ${world.name} WITH (FORCE)`)
  await runSql(server, `CREATE DATABASE ${world.name} OWNER bg_admin`)
  for (const node of world.engine('ADMIN').nodes) {
    await node.command({ query: `DROP DATABASE ${world.name} SYNC` })
  }
}

/** One result for each agent. The test finds them by their target. */
const results = (target: string, ...agentIds: string[]): string =>
  agentIds
    .map((agent_id) => ({ agent_id, dtime: '2026-05-15 11:11:11.111', target, rtt_avg: 1, successes: 1, failures: 0 }))
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('')

async function send(address: string, ingest: string, body: string): Promise<unknown> {
  const answer = await post(`${address}/ingest/latency`, `Bearer ${ingest}`, body, 'application/x-ndjson')
  return answer.body['data']
}

async function latencyRows(condition: string): Promise<number> {
  const query = `SELECT count() AS rows FROM ${world.name}.latency WHERE ${condition}`
  const result = await world.engine('ADMIN').nodes[0]?.query({ query, format: 'JSONEachRow' })
  const [row] = (await result?.json<{ rows: number | string }>()) ?? []
  return Number(row?.rows)
}

it('restores an installation that has no results yet', async (context) => {
  if (!(await canDump())) context.skip('pg_dump is older than the server')
  await organisation(world, 'regulator')
  await backUp()
  await loseAndRestore()
  expect(await runSql(world.superuserUrl, 'SELECT key FROM organisations')).toEqual([{ key: 'regulator' }])
}, 120_000)

it('gives the same answers after all data was lost and restored', async (context) => {
  if (!(await canDump())) context.skip('pg_dump is older than the server')
  await organisation(world, 'regulator')
  const small = { owner: 'regulator', kinds: ['whitebox'] as const, days: 2 }
  await synthPanel(world, { ...small, agents: 10, tests: ['latency', 'httpget'] })
  await synthPanel(world, { ...small, agents: 2, panel: 'gone', tests: ['latency'] })
  const data = await token(world, 'regulator')
  const metadata = await token(world, 'regulator', ['metadata:read'])
  const ingest = await token(world, 'regulator', ['ingest:write'])
  const service = await world.serve()
  const before = await answers(service.addresses.api, data, metadata)

  await backUp()
  expect(readFileSync(join(backup, 'results.tsv'), 'utf8')).toMatch(/^latency\t202604\t[1-9]/m)

  // Between the two parts of the backup, an ingest request is stored, an agent is erased, and the sequence of agent
  // numbers is reset.
  const late = results('late', 'synthetic-0000002')
  expect(await send(service.addresses.ingest, ingest, late)).toMatchObject({ accepted: 1 })
  const [gone] = await runSql<{ id: number; panel_id: number }>(
    world.superuserUrl,
    `SELECT id, panel_id FROM agents WHERE panel_id = (SELECT id FROM panels WHERE key = 'gone') ORDER BY id LIMIT 1`,
  )
  expect(await latencyRows(`agent = ${gone?.id}`)).toBeGreaterThan(0)
  const erasure = 'INSERT INTO erasures (agent_number, panel_id, finished_at) VALUES ($1, $2, now())'
  await runSql(world.superuserUrl, erasure, [gone?.id, gone?.panel_id])
  await runSql(world.superuserUrl, `SELECT setval('agents_id_seq', 1)`)
  const audited = () => runSql(world.superuserUrl, 'SELECT id, body FROM audited_queries ORDER BY asked_at, id')
  const trail = await audited()
  expect(trail).toHaveLength(3)
  await dumpLater()
  await service.stop('it is lost')
  await loseAndRestore()
  expect(await audited()).toEqual(trail)

  const restored = await world.serve()
  expect(await answers(restored.addresses.api, data, metadata)).toEqual(before)
  expect(await latencyRows(`agent = ${gone?.id}`), 'an erased agent stays erased').toBe(0)
  expect(await latencyRows(`target = 'late'`)).toBe(0)
  for (const _ of ['sent again', 'and again']) {
    expect(await send(restored.addresses.ingest, ingest, late)).toMatchObject({ accepted: 1 })
  }
  expect(await latencyRows(`target = 'late'`), 'a batch that is sent again is stored once').toBe(1)
  const [next] = await runSql<{ free: boolean }>(
    world.superuserUrl,
    `SELECT nextval('agents_id_seq') > max(id) AS free FROM agents`,
  )
  expect(next?.free, 'no agent number is assigned twice').toBe(true)
}, 120_000)

it('stores a batch that is sent again after a restore completely and once, even if its first ingest was late', async (context) => {
  if (!(await canDump())) context.skip('pg_dump is older than the server')
  await organisation(world, 'regulator')
  await panel(world, 'homes', 'regulator', ['whitebox'])
  const ingest = await token(world, 'regulator', ['ingest:write'])
  const early = results('early', 'homes-whitebox')
  const partly = results('partly', 'homes-whitebox', 'newcomers-whitebox')
  const file = join(parent, 'results.ndjson')
  writeFileSync(file, results('file', 'homes-whitebox'))
  const importFile = () =>
    run('node', ['src/serve/main.ts', 'import', 'latency', file, '--organisation', 'regulator'], {
      env: { PATH: path, ...world.environment },
    })
  const stored = async () => ({
    early: await latencyRows(`target = 'early'`),
    partly: await latencyRows(`target = 'partly'`),
    file: await latencyRows(`target = 'file'`),
  })

  const service = await world.serve()
  const sendNow = (body: string) => send(service.addresses.ingest, ingest, body)
  expect(await sendNow(early)).toMatchObject({ accepted: 1, rejected: 0 })
  expect(await sendNow(partly)).toMatchObject({ accepted: 1, rejected: 1 })
  // Simulate that the batch was stored three days ago.
  const daysAgo = `now() - interval '3 days'`
  const earlier = `UPDATE ingest_batches SET begun_at = ${daysAgo}, stored_at = ${daysAgo} WHERE rejected = 1`
  await runSql(world.superuserUrl, earlier)
  await importFile()
  await backUp()

  // Between the two parts of the backup, the agent is registered and its row is stored.
  await panel(world, 'newcomers', 'regulator', ['whitebox'])
  expect(await sendNow(partly)).toMatchObject({ accepted: 2, rejected: 0 })
  await dumpLater()
  await service.stop('it is lost')
  await loseAndRestore()
  expect(await stored()).toEqual({ early: 1, partly: 1, file: 1 })

  const restored = await world.serve()
  for (const _ of ['sent again', 'and again']) {
    expect(await send(restored.addresses.ingest, ingest, early)).toMatchObject({ accepted: 1, rejected: 0 })
    expect(await send(restored.addresses.ingest, ingest, partly)).toMatchObject({ accepted: 2, rejected: 0 })
    await importFile()
    expect(await stored()).toEqual({ early: 1, partly: 2, file: 1 })
  }
}, 120_000)

/**
 * A proxy to ClickHouse. For the first `times` statements that contain `text`, it responds with an empty body, as
 * ClickHouse does (with status 200) if its disk is full. This test cannot fill the disk, because other tests use it.
 * The proxy can also remove a response header, as some proxies do.
 */
async function losing(text: string, times = Infinity, lostHeader = ''): Promise<string> {
  const [engine = ''] = (world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
  let lost = 0
  const server = createServer((request, response) => {
    void (async () => {
      const sent = await buffer(request)
      const { 'content-length': _length, 'transfer-encoding': _chunks, expect: _expect, ...headers } = request.headers
      const answer = await fetch(`${engine}${request.url}`, {
        method: 'POST',
        headers: headers as Record<string, string>,
        ...(sent.length === 0 ? {} : { body: sent }),
      })
      const isLost = sent.toString('latin1').includes(text) && (lost += 1) <= times
      const summary = 'x-clickhouse-summary'
      response.writeHead(answer.status, summary === lostHeader ? {} : { [summary]: answer.headers.get(summary) ?? '' })
      response.end(isLost ? '' : Buffer.from(await answer.arrayBuffer()))
    })()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const smallPanel = async () => {
  await organisation(world, 'regulator')
  await synthPanel(world, { owner: 'regulator', kinds: ['whitebox'], agents: 3, days: 2, tests: ['latency'] })
}

it.each([
  ['the tables', 'system.columns', 'is its disk full? SELECT arrayStringConcat(arraySort(groupArray(table))'],
  ['the months', 'groupUniqArray', 'is its disk full? SELECT arrayStringConcat(arraySort(groupUniqArray'],
  ['rows', 'SELECT * FROM latency WHERE', 'latency.202604.native.gz has 0 rows, and latency has'],
  ['rejected rows', 'SELECT * FROM rejected_results', 'rejected_results.native.gz has 0 rows'],
])(
  "fails if ClickHouse's response loses %s",
  async (_what, text, said) => {
    await smallPanel()
    await world.engine('ADMIN').nodes[0]?.insert({
      table: `${world.name}.rejected_results`,
      values: [{ organisation: 1, test: 'ping' }],
      format: 'JSONEachRow',
      clickhouse_settings: { distributed_foreground_insert: 1 },
    })
    await expect(backUp({ BROADGAUGE_CLICKHOUSE_URL: await losing(text) })).rejects.toThrow(said)
    expect(existsSync(join(backup, 'until'))).toBe(false)
  },
  120_000,
)

it('fails if a proxy removes the header with the number of rows read', async () => {
  const engine = await losing('SELECT * FROM rejected_results', Infinity, 'x-clickhouse-summary')
  await expect(backUp({ BROADGAUGE_CLICKHOUSE_URL: engine })).rejects.toThrow('did not say how many rows are in')
  expect(existsSync(join(backup, 'until'))).toBe(false)
}, 120_000)

it('reads a table again if its row count is wrong', async (context) => {
  if (!(await canDump())) context.skip('pg_dump is older than the server')
  await smallPanel()
  await backUp({ BROADGAUGE_CLICKHOUSE_URL: await losing('SELECT * FROM latency WHERE', 1) })
  await loseAndRestore()
  expect(await latencyRows('1')).toBeGreaterThan(0)
}, 120_000)

it('restores rows whose retention has ended, and then applies the configured retention', async (context) => {
  if (!(await canDump())) context.skip('pg_dump is older than the server')
  await smallPanel()
  await backUp()
  await loseEverything()
  const [command, noted] = [join(parent, 'command'), join(parent, 'noted')]
  const lines = [
    '#!/usr/bin/env bash',
    `echo "$BROADGAUGE_RETENTION_DAYS by $PGPASSWORD" >>${noted}`,
    'exec node src/serve/main.ts "$@"',
  ]
  writeFileSync(command, `${lines.join('\n')}\n`, { mode: 0o755 })
  const kept = { BROADGAUGE_RETENTION_DAYS: 'latency=30', PGPASSWORD: 'the migrating user' }
  const settings = { RESTORE_POSTGRES_URL: world.superuserUrl, ...kept }
  const { stdout } = await script('restore.sh', { ...settings, BROADGAUGE: command })
  expect(stdout).toContain('rows, as they were')
  expect(readFileSync(noted, 'utf8')).toBe(' by the migrating user\nlatency=30 by the migrating user\n')
}, 120_000)
