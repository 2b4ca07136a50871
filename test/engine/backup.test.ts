import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../kit/call.ts'
import { organisation, token } from '../kit/panels.ts'
import { onDatabase, runSql } from '../kit/run-sql.ts'
import { synthPanel } from '../kit/synth-panel.ts'
import { openWorld, type World } from '../kit/world.ts'

const run = promisify(execFile)
const path = [process.env['BROADGAUGE_DEVSTACK_POSTGRES_BIN'], process.env['PATH']].filter(Boolean).join(delimiter)
const parent = mkdtempSync(join(tmpdir(), 'broadgauge-backup-'))
const backup = join(parent, 'nightly')

let world: World
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(async () => {
  await world.close()
  rmSync(parent, { recursive: true })
})

/** pg_dump refuses servers newer than itself. CI runs this on PostgreSQL 15, which is what Debian's is for. */
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
    env: { PATH: path, BROADGAUGE: 'node src/serve/main.ts', ...world.environment, ...settings },
  })

const post = (url: string, authorization: string, body: string, type = 'application/json') =>
  call(url, { method: 'POST', token: authorization, headers: { 'content-type': type }, body })

/** Charts, records and an agent's history, byte by byte. */
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

async function latencyRows(condition: string): Promise<number> {
  const query = `SELECT count() AS rows FROM ${world.name}.latency WHERE ${condition}`
  const result = await world.engine('ADMIN').nodes[0]?.query({ query, format: 'JSONEachRow' })
  const [row] = (await result?.json<{ rows: number | string }>()) ?? []
  return Number(row?.rows)
}

it('gives the same answers after everything was lost and restored', async (context) => {
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

  await script('backup.sh', { BACKUP_POSTGRES_URL: world.superuserUrl, BACKUP_LAG_SECONDS: '0' })
  expect(readFileSync(join(backup, 'results.tsv'), 'utf8')).toMatch(/^latency\t202604\t[1-9]/m)

  // Between the two halves of a backup: a delivery, an erasure; and a register that has forgotten its latest numbers.
  const late =
    '{"agent_id":"synthetic-0000002","dtime":"2026-05-15 11:11:11.111","target":"late","rtt_avg":1,"successes":1,"failures":0}\n'
  const deliver = (address: string) =>
    post(`${address}/ingest/latency`, `Bearer ${ingest}`, late, 'application/x-ndjson')
  expect((await deliver(service.addresses.ingest)).body['data']).toMatchObject({ accepted: 1 })
  const [gone] = await runSql<{ id: number; panel_id: number }>(
    world.superuserUrl,
    `SELECT id, panel_id FROM agents WHERE panel_id = (SELECT id FROM panels WHERE key = 'gone') ORDER BY id LIMIT 1`,
  )
  expect(await latencyRows(`agent = ${gone?.id}`)).toBeGreaterThan(0)
  const erasure = 'INSERT INTO erasures (agent_number, panel_id, finished_at) VALUES ($1, $2, now())'
  await runSql(world.superuserUrl, erasure, [gone?.id, gone?.panel_id])
  await runSql(world.superuserUrl, `SELECT setval('agents_id_seq', 1)`)
  const dump = ['--format=custom', `--file=${join(backup, 'postgres.dump')}`, world.superuserUrl]
  await run('pg_dump', dump, { env: { PATH: path } })
  await service.stop('it is lost')

  await loseEverything()
  await script('restore.sh', { RESTORE_POSTGRES_URL: world.superuserUrl })

  const restored = await world.serve()
  expect(await answers(restored.addresses.api, data, metadata)).toEqual(before)
  expect(await latencyRows(`agent = ${gone?.id}`), 'whoever was erased stays erased').toBe(0)
  expect(await latencyRows(`target = 'late'`)).toBe(0)
  const again = [await deliver(restored.addresses.ingest), await deliver(restored.addresses.ingest)]
  expect(again.map(({ body }) => body['data'])).toMatchObject([{ accepted: 1 }, { accepted: 1 }])
  expect(await latencyRows(`target = 'late'`), 'sent again it is stored, once').toBe(1)
  const [next] = await runSql<{ free: boolean }>(
    world.superuserUrl,
    `SELECT nextval('agents_id_seq') > max(id) AS free FROM agents`,
  )
  expect(next?.free, 'no number is given twice').toBe(true)
}, 120_000)
