import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql, statement } from '../../../src/base/sql.ts'
import { nearRanks } from '../../../src/compile/metric/per-agent/agent-points.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { binomialQuantile } from '../../../src/envelope/binomial.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'

type Expected = { perAgent: object; reaching: object; point: Record<string, unknown> }
type Fixture = { agents: Record<string, number[]>; expected: Expected[] }

/** `agent-points.py` in the same folder computes the points with numpy and scipy. */
const fixture: Fixture = JSON.parse(readFileSync(`${import.meta.dirname}/fixtures/agent-points.json`, 'utf8'))

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const agents = Object.keys(fixture.agents)
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'Homes', owner: 'acme' })
    const rows = agents.map((id, line) => ({ line, row: agent({ agent_id: id }) }))
    await importAgents(operator, 'homes', asLines(rows), () => {})
  })
  const results = Object.entries(fixture.agents).flatMap(([id, values]) =>
    values.map((value, hour) => ({
      agent: id,
      dtime: `2026-01-05 ${String(hour).padStart(2, '0')}:00:00.000`,
      target: 'server',
      bytes_sec: value,
    })),
  )
  await storeFacts(world, 'httpget', results)
  authorization = await token(world, 'acme')
  service = await world.serve()
  await settle(world)
}, 120_000)
afterAll(() => world.close())

const ask = (request: object, path = '/metric_data'): Promise<Answer> =>
  call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'total',
      normalised: false,
      prefilter: false,
      time: { from: '2026-01-05', to: '2026-01-05' },
      ...request,
    }),
  })

/** Matches numbers with a relative tolerance of 1e-9, and everything else exactly. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, close(one)]))
  }
  if (typeof value !== 'number') return value
  return Number.isInteger(value) ? value : expect.closeTo(value, 9 - Math.ceil(Math.log10(Math.abs(value))))
}

it.each(fixture.expected)(
  'has the points about agents that numpy and scipy compute: $perAgent, $reaching',
  async ({ perAgent, reaching, point }) => {
    const answer = await ask({ perAgent, reaching, include: ['uncertainty'] })
    expect(answer.body).toMatchObject({ code: 'OK', data: [{ metricData: [close(point)] }], meta: { about: 'agents' } })
  },
)

it('answers every statistic of values and of ratios, with and without normalisation', async () => {
  const statistics = [
    { statistic: 'mean' },
    { statistic: 'median' },
    { statistic: 'min' },
    { statistic: 'max' },
    { statistic: 'percentile', level: 20 },
    { statistic: 'share', atLeast: 1 },
    { statistic: 'trimmedMean', low: 1, high: 99 },
  ]
  const asked = [
    ...statistics.map((perAgent) => ({ metric: 'httpget', perAgent })),
    { metric: 'packetLoss', perAgent: { statistic: 'mean' } },
  ]
  for (const request of asked) {
    for (const normalised of [false, true]) {
      const answer = await ask({ ...request, normalised, include: ['uncertainty'] })
      expect([answer.status, request, normalised, answer.status === 200 ? '' : answer.text]).toEqual([
        200,
        request,
        normalised,
        '',
      ])
    }
  }
})

it('gives the same bytes for the same request', async () => {
  const request = { perAgent: { statistic: 'percentile', level: 20 }, normalised: true, include: ['uncertainty'] }
  const [first, ...others] = await Promise.all([1, 2, 3, 4].map(async () => (await ask(request)).text))
  expect(first).toContain('percentileIntervals')
  expect(others).toEqual([first, first, first])
})

it('finds ranks near the exact ones for any number of agents', async () => {
  const engine = world.engine('QUERY')
  const counts = sql`arrayConcat(range(1, 1200), [1999, 5000, 20011, 35000, 99999, 1000000])`
  const shares = [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99, 1e-6, 0.001, 0.015, 0.375, 0.975, 0.9999]
  const { text, params } = statement(
    sql`SELECT agent_count, ${nearRanks(shares)} AS ranks FROM (SELECT toUInt64(arrayJoin(${counts})) AS agent_count)`,
  )
  const result = await engine.nodes[0]?.query({ query: text, query_params: params, format: 'JSONCompact' })
  const { data } = (await result?.json<[number, number[]]>()) ?? { data: [] }
  expect(data).toHaveLength(1205)
  const exact = (agents: number): number[] =>
    [0.025, 0.975].flatMap((tail, side) => shares.map((share) => binomialQuantile(tail, agents, share) + side))
  const missed = data.flatMap(([agents, ranks]) =>
    exact(agents).flatMap((rank, index) => {
      const distance = rank - (ranks[index] ?? NaN)
      return rank < 1 || rank > agents || (distance >= 0 && distance <= 2) ? [] : [{ agents, index, distance }]
    }),
  )
  expect(missed).toEqual([])
})

it('refuses a file that would need exact intervals, and writes others', async () => {
  const perAgent = { statistic: 'median' }
  const refused = await ask({ perAgent, reaching: { atLeast: 5 } }, '/metric_data.csv')
  expect(refused).toMatchObject({ status: 422, body: { errors: { reaching: [expect.any(String)] } } })
  const both = await ask({ perAgent, include: ['uncertainty'] }, '/metric_data_download')
  expect(both).toMatchObject({ status: 422, body: { errors: { include: [expect.any(String)] } } })
  const written = await ask({ perAgent }, '/metric_data_download')
  expect(written.body).toMatchObject({ code: 'OK' })
})
