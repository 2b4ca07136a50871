import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ClickHouse } from '../../../src/engine/clickhouse/clickhouse.ts'
import { reloadDictionaries } from '../../../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { sql } from '../../../src/base/sql.ts'
import { runInsert } from '../../../src/engine/clickhouse/ingest/run-insert.ts'
import { firstNode } from '../../../src/engine/clickhouse/next-node.ts'
import { until } from '../../faults/attempt.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runningMs } from '../../kit/running-time.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { deadAddress, droppingAddress, nodesAt, silentAddress, slowAddress } from './absent-nodes.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'regulator')
  await panel(world, 'national', 'regulator', ['whitebox'])
})
afterAll(() => world.close())

/** Sends queries and streams at the same time. Returns the status of each response. */
async function statuses(api: string): Promise<number[]> {
  const authorization = await token(world, 'regulator')
  const chart = { metric: 'httpget', chartType: 'aggregate', aggregation: 'total', normalised: false, prefilter: true }
  const bodies = [
    ['/metric_data', { ...chart, time: { from: '2026-04-01 00:00', to: '2026-04-02 00:00' } }],
    ['/test_data', { test: 'httpget', date: { from: '2026-04-01', to: '2026-04-02' } }],
  ] as const
  const headers = { 'content-type': 'application/json' }
  const asked = Array.from({ length: 6 }, () => bodies).flat()
  const answers = await Promise.all(
    asked.map(([path, body]) =>
      call(api + path, { method: 'POST', token: authorization, headers, body: JSON.stringify(body) }),
    ),
  )
  return answers.map(({ status }) => status)
}

it('answers every query, and is ready, while a node with replicas refuses connections', async () => {
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${await deadAddress()},${world.environment['BROADGAUGE_CLICKHOUSE_URL']}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: world.environment['BROADGAUGE_CLICKHOUSE_CLUSTER'] ?? 'one',
  })
  expect(await statuses(addresses.api)).toEqual(Array(12).fill(200))
  expect((await fetch(`${addresses.operations}/readyz`)).status).toBe(200)
})

it('answers every query within seconds while a node with replicas is cut off from the network', async () => {
  await using cutOff = await droppingAddress()
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${cutOff.url},${world.environment['BROADGAUGE_CLICKHOUSE_URL']}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: world.environment['BROADGAUGE_CLICKHOUSE_CLUSTER'] ?? 'one',
  })
  const startedAt = runningMs()
  expect(await statuses(addresses.api)).toEqual(Array(12).fill(200))
  // 3 s to give the node up, and then the queries themselves.
  expect(runningMs() - startedAt).toBeLessThan(12_000)
  expect((await fetch(`${addresses.operations}/readyz`)).status).toBe(200)
}, 60_000)

it('is ready, without waiting for the node, while a node with replicas hangs', async () => {
  await using silent = await silentAddress()
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${silent.url},${world.environment['BROADGAUGE_CLICKHOUSE_URL']}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: world.environment['BROADGAUGE_CLICKHOUSE_CLUSTER'] ?? 'one',
  })
  const state = async () => (await call(`${addresses.operations}/readyz`)).body['data']
  await expect.poll(state).toMatchObject({ clickhouse: 'ready' })
}, 60_000)

it('is not ready while every node hangs', async () => {
  await using one = await silentAddress()
  await using other = await silentAddress()
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${one.url},${other.url}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: 'one',
  })
  const answer = await call(`${addresses.operations}/readyz`)
  expect(answer.body['data']).toMatchObject({ clickhouse: 'unavailable' })
  expect(answer.status).toBe(503)
})

it('publishes a change to the available nodes and accepts ingest requests while another node is unavailable', async () => {
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${await deadAddress()},${world.environment['BROADGAUGE_CLICKHOUSE_URL']}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: world.environment['BROADGAUGE_CLICKHOUSE_CLUSTER'] ?? 'one',
  })
  const secret = await token(world, 'regulator', ['data:read', 'metadata:write', 'ingest:write'])
  await panel(world, 'new', 'regulator', ['cpe'])
  const now = Temporal.Now.instant()
  const rows = [1, 2, 3].map((seconds) => {
    const dtime = now.subtract({ seconds }).toString({ smallestUnit: 'second' })
    return JSON.stringify({ agent_id: 'new-cpe', dtime, target: 'x', rtt_avg: 1_000, successes: 1, failures: 0 })
  })
  const send = async () => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const url = `${addresses.ingest}/ingest/ping`
    return call(url, { method: 'POST', token: `Bearer ${secret}`, headers, body: rows.join('\n') })
  }
  // The first request may reach the unavailable node. The retry reaches another node.
  await until(async () => (await send()).status === 200, 5_000)
  const headers = { 'content-type': 'application/json' }
  const day = Math.floor(now.epochMilliseconds / 1000) - 2 * 86_400
  const change = JSON.stringify({
    agent: { agent_id: 'new-cpe' },
    metadata: { custom: { wave: 'two' } },
    backdate_from: day,
  })
  const changed = await call(`${addresses.api}/metadata`, {
    method: 'PUT',
    token: `Bearer ${secret}`,
    headers,
    body: change,
  })
  expect(changed.status).toBe(200)
  const body = JSON.stringify({
    metric: 'ping',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: false,
    filters: [{ id: 'custom.wave', filterType: 'include', filterValues: ['two'] }],
    time: { from: '-2 days', to: '+1 days' },
  })
  const found = async () => {
    const answer = await call(`${addresses.api}/metric_data`, { method: 'POST', token: secret, headers, body })
    return JSON.stringify(answer.body['data'] ?? null).includes('"sampleCount":3')
  }
  await until(found, 5_000, 100)
}, 60_000)

it('is not ready while every node is unavailable', async () => {
  const { addresses } = await world.serve({
    BROADGAUGE_CLICKHOUSE_URL: `${await deadAddress()},${await deadAddress()}`,
    BROADGAUGE_CLICKHOUSE_CLUSTER: 'one',
  })
  expect((await fetch(`${addresses.operations}/readyz`)).status).toBe(503)
  const authorization = await token(world, 'regulator')
  const body = JSON.stringify({ test: 'httpget', date: { from: '2026-04-01', to: '2026-04-02' } })
  const headers = { 'content-type': 'application/json' }
  const answer = await call(`${addresses.api}/test_data`, { method: 'POST', token: authorization, headers, body })
  expect(answer.status).toBe(503)
})

it.each([0, 1])(
  'waits seconds for a node that stops responding after %d answers, and others reload',
  async (answers) => {
    const engine = world.engine('DICTIONARY')
    await using silent = await silentAddress(answers)
    await using extra = nodesAt(world, [silent.url])
    const startedAt = runningMs()
    const reloading = reloadDictionaries({ ...engine, nodes: [...extra.nodes, ...engine.nodes] }, 'names', 'small')
    await expect(reloading).rejects.toMatchObject({ detail: 'ClickHouse is unavailable' })
    expect(runningMs() - startedAt).toBeLessThan(8_000)
  },
  60_000,
)

it('gives up an insert when its node falls silent, and waits for a slow node that responds to pings', async () => {
  await using silent = await silentAddress()
  await using slow = await slowAddress(16_000)
  await using away = nodesAt(world, [silent.url])
  await using busy = nodesAt(world, [slow.url])
  const insertInto = ({ nodes }: Pick<ClickHouse, 'nodes'>) =>
    runInsert(firstNode({ nodes }), sql`INSERT INTO nowhere FORMAT CSV`, { token: 'one', data: Buffer.from('1') })
  const startedAt = runningMs()
  const storing = insertInto(busy)
  await expect(insertInto(away)).rejects.toMatchObject({ detail: 'ClickHouse is unavailable' })
  // Without pings, the limit would be that of the connection: 900 s here, 123 s in the service.
  expect(runningMs() - startedAt).toBeLessThan(25_000)
  await expect(storing).resolves.toEqual({ read: 1, written: 1 })
}, 60_000)
