import type { AgentRow } from '../../src/check/rows/agent-row.ts'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import type { IngestReport } from '../../src/envelope/ingest-report.ts'
import type { Service } from '../../src/serve/wiring/service.ts'
import { call, type Answer } from '../kit/call.ts'
import { agent, asLines, organisation, token } from '../kit/panels.ts'
import { openWorld, type World, type WorldOptions } from '../kit/world.ts'

export type Row = Readonly<Record<string, unknown>>

type Post = { token?: string; headers?: Record<string, string>; address?: string }

/** Two organisations with a panel each, and an instance that ingests results of their agents. */
export type IngestWorld = {
  readonly world: World
  readonly service: Service
  readonly token: string
  readonly otherToken: string
  readonly organisationId: number
  /** Sends one ingest request. `body` is NDJSON, unless the headers give another format. */
  readonly post: (test: string, body: string | Uint8Array<ArrayBuffer>, options?: Post) => Promise<Answer>
  readonly stored: (test: string) => Promise<Row[]>
  readonly rejected: () => Promise<Row[]>
  readonly register: (panel: string, agentIds: readonly string[], kind?: AgentRow['kind']) => Promise<void>
  readonly ask: <Answered>(query: string) => Promise<Answered[]>
}

export async function openIngestWorld(
  overrides: Record<string, string> = {},
  stack?: WorldOptions['stack'],
): Promise<IngestWorld> {
  const world = await openWorld({ clickhouse: true, ...(stack === undefined ? {} : { stack }) })
  const { id: organisationId } = await organisation(world, 'acme')
  await organisation(world, 'other')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'homes', owner: 'acme' })
    await createPanel(operator, { key: 'theirs', name: 'theirs', owner: 'other' })
  })
  const register: IngestWorld['register'] = async (panel, agentIds, kind = 'whitebox') => {
    const lines = agentIds.map((agentId, index) => ({ line: index + 2, row: agent({ agent_id: agentId, kind }) }))
    await world.operate((operator) => importAgents(operator, panel, asLines(lines), () => {}))
  }
  await register('homes', ['wb-1', 'wb-2', 'wb-3'])
  await register('theirs', ['foreign-1'])
  const own = `Bearer ${await token(world, 'acme', ['ingest:write'])}`
  const otherToken = `Bearer ${await token(world, 'other', ['ingest:write'])}`
  const service = await world.serve(overrides)
  const [node] = world.engine('ADMIN').nodes
  if (node === undefined) throw new Error('no node')
  const ask = async <Answered>(query: string): Promise<Answered[]> =>
    (await node.query({ query, format: 'JSONEachRow' })).json<Answered>()
  return {
    world,
    service,
    token: own,
    otherToken,
    organisationId,
    register,
    ask,
    post: (test, body, { token: as = own, headers = {}, address = service.addresses.ingest } = {}) =>
      call(`${address}/ingest/${test}`, {
        method: 'POST',
        token: as,
        headers: { 'content-type': 'application/x-ndjson', ...headers },
        body,
      }),
    stored: (test) => ask<Row>(`SELECT * FROM ${world.name}.${test} ORDER BY ALL`),
    rejected: () => ask<Row>(`SELECT * FROM ${world.name}.rejected_results ORDER BY batch, row, reason`),
  }
}

export const ndjson = (rows: readonly Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

export function csv(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (value: unknown) =>
    value === null || value === undefined
      ? ''
      : `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`
  return [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
    .map((line) => `${line.join(',')}\n`)
    .join('')
}

export const reportOf = (answer: Answer | undefined): IngestReport => {
  if (answer?.status !== 200) throw new Error(`${answer?.status} ${answer?.text}`)
  return answer.body['data'] as IngestReport
}

/** A valid result of wb-1. */
export const ping = (row: Row = {}): Row => ({
  agent_id: 'wb-1',
  dtime: '2026-01-05 10:00:00.000',
  target: 'server',
  rtt_avg: 12_000,
  successes: 5,
  failures: 0,
  ...row,
})
