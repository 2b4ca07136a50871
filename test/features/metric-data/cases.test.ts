import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeTimelines, type TimelineRow } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { packageImports, type MetricCase } from '../../cases/metric-case.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'

const files = globSync('test/cases/metric-data/*.case.ts').toSorted()
const cases: [string, MetricCase][] = await Promise.all(
  files.map(async (path): Promise<[string, MetricCase]> => {
    const { default: one } = (await import(`../../../${path}`)) as { default: MetricCase }
    return [basename(path, '.case.ts'), one]
  }),
)

let world: World
let service: Service
let authorization: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await world.operate(async (operator) => {
    const bits = (mbps: number | null) => (mbps === null ? null : mbps * 1e6)
    for (const { from, packages } of packageImports) {
      const rows = packages.map(([isp, name, down, up], line) => ({
        line,
        row: { isp, package: name, download_bits_sec: bits(down), upload_bits_sec: bits(up) },
      }))
      await importPackages(operator, asLines(rows), () => {}, from)
    }
    for (const [name, one] of cases) {
      await createPanel(operator, { key: name, name, owner: 'acme' })
      const agents = Object.keys(one.agents ?? { home: [] }).map((id, line) => ({
        line,
        row: agent({ agent_id: `${name}-${id}` }),
      }))
      await importAgents(operator, name, asLines(agents), () => {})
      const history = { requestId: 'case', request: {} }
      const lines = timelineOf(name, one).map((row, line) => ({ line, row }))
      await changeTimelines(operator, name, asLines(lines), history, () => {})
    }
  })
  for (const [name, { agents, test, rows }] of cases) {
    const [first = 'home'] = Object.keys(agents ?? {})
    const facts = rows.map(({ at, agent: id = first, ...columns }) => ({
      agent: `${name}-${id}`,
      dtime: at,
      ...columns,
    }))
    await storeFacts(world, test, facts)
  }
  authorization = await token(world, 'acme')
  service = await world.serve()
  await settle(world)
}, 120_000)
afterAll(() => world.close())

const timelineOf = (name: string, { agents = {} }: MetricCase): TimelineRow[] =>
  Object.entries(agents).flatMap(([id, spans]) =>
    spans.map(({ from, isp = null, package: packageName = null, timezone = null, custom = {} }) => ({
      agent_id: `${name}-${id}`,
      from_day: from,
      isp,
      package: packageName,
      timezone,
      custom: JSON.stringify(custom),
    })),
  )

describe.each(cases)('%s', (name, { guarantee, request, data }) => {
  it.each([guarantee])('%s', async () => {
    const answer = await call(`${service.addresses.api}/metric_data`, {
      method: 'POST',
      token: authorization,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, panel: name }),
    })
    expect(answer.body).toMatchObject({ code: 'OK', data: data.map(close) })
    expect(answer.body['data']).toHaveLength(data.length)
  })
})

/** Matches numbers with a tolerance of 1e-9 and everything else exactly. */
function close(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return expect.closeTo(value, 9)
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, close(one)]))
}
