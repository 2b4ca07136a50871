import { bind, sql, type Sql } from '../../../src/base/sql.ts'
import { streamRows } from '../../../src/engine/clickhouse/query/stream-rows.ts'
import { okStreamed } from '../../../src/envelope/streamed.ts'
import { defineRoute, type Route } from '../../../src/http/define-route.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { reloadAgents } from '../../kit/facts.ts'
import { openWorld, type World } from '../../kit/world.ts'

export type StreamWorld = { world: World; token: string; body: unknown }

/** A panel with one agent and `rows` results of httpget. Each result has 430 bytes of JSON. */
export async function openStreamWorld(rows: number): Promise<StreamWorld> {
  const world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'homes', owner: 'acme' })
    await importAgents(operator, 'homes', asLines([{ line: 2, row: agent({ agent_id: 'a-1' }) }]), () => {})
  })
  await reloadAgents(world)
  const [node] = world.engine('ADMIN').nodes
  await node?.command({
    query: `
      INSERT INTO ${world.name}.httpget (panel, agent, dtime, target, address, fetch_time, bytes_total, bytes_sec,
        bytes_sec_interval, warmup_time, warmup_bytes, sequence, threads, tcp_retransmissions, successes, ip_version, target_group)
      SELECT 1, 1, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(number), 'n1-the1.example.net', '10.0.0.7',
        10000000 + rand(1) % 100000, rand(2), rand(3), rand(4), 3000000, rand(5), 5, 3, rand(6) % 200, 1, 4, 'off-net'
      FROM numbers(${rows}) SETTINGS distributed_foreground_insert = 1`,
  })
  return {
    world,
    token: await token(world, 'acme'),
    body: { test: 'httpget', date: { from: '2026', to: '2026' } },
  }
}

/**
 * Settings with which the service streams as the ingest user. That user may set limits in a statement; the service's
 * stream user may not.
 */
export const asIngestUser = ({ environment }: World): Record<string, string> => ({
  BROADGAUGE_CLICKHOUSE_STREAM_USER: environment['BROADGAUGE_CLICKHOUSE_INGEST_USER'] ?? '',
  BROADGAUGE_CLICKHOUSE_STREAM_PASSWORD: environment['BROADGAUGE_CLICKHOUSE_INGEST_PASSWORD'] ?? '',
})

export const wholeYear = { clock: 'utc', from: '2026-01-01T00:00:00', to: '2026-12-31T23:59:59' } as const

/** A route that streams the rows of the given SQL. Everything else is the service's own code. */
export const streaming = (path: string, query: (body: Record<string, number>) => Sql): Route =>
  defineRoute('data', 'POST', path, 'data:read', async ({ stores: { streams } }, caller, { body, admission }) => {
    const rows = query(body as Record<string, number>)
    const origin = await admission.beginQuery({ panels: [1], range: wholeYear })
    return okStreamed(await streamRows(caller, streams, rows, origin))
  })

/** A route whose statement fails at the row `at`. */
export const failing = streaming(
  '/failing',
  ({ at = 0 }) => sql`SELECT number, throwIf(number = ${bind('UInt64', at)}) AS fine FROM numbers(10000000)`,
)
