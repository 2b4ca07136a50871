import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { tQuantile } from '../reference/model/t-quantiles.ts'

/** Debian's package of numpy belongs to Debian's Python. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

type Row = { agent_id: string; dtime: string } & Record<string, number | null>
type Found = Record<string, Record<string, { value: number; standardError: number; effectiveAgents: number }>>
type Point = { dtime?: string } & Record<string, number>

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  // In winter, the local time of the panel is UTC.
  const tests = ['httpget', 'latency']
  await synthPanel(world, { agents: 30, days: 3, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

async function ask(path: string, body: unknown): Promise<unknown[]> {
  const headers = { 'content-type': 'application/json' }
  const url = `${service.addresses.api}/${path}`
  const answer = await call(url, { method: 'POST', token: authorization, headers, body: JSON.stringify(body) })
  expect(answer.body, answer.text.slice(0, 500)).toMatchObject({ code: 'OK' })
  return answer.body['data'] as unknown[]
}

const hourly = Array.from({ length: 25 }, (_, hour) => hour)

it.each([
  ['httpget', 'httpget', [0, 6, 12, 18, 20, 22, 24], 8 / 1e6, ({ bytes_sec: speed }: Row) => ({ y: speed, x: 1 })],
  ['latency', 'latency', hourly, 1 / 1000, ({ rtt_avg: time }: Row) => ({ y: time, x: 1 })],
  [
    'packetLoss',
    'latency',
    hourly,
    100,
    ({ successes, failures }: Row) => ({ y: failures, x: Number(successes) + Number(failures) }),
  ],
])(
  'the interval of %s is that of numpy, from the results of POST /test_data',
  async (metric, test, blocks, unit, of) => {
    const rows = (await ask('test_data', { test, date: { from: '2026-02-13', to: '2026-02-15' } })) as Row[]
    const results = rows
      .filter(({ successes }) => metric === 'packetLoss' || Number(successes) > 0)
      .map((row) => ({
        agent: row.agent_id,
        day: row.dtime.slice(0, 10),
        hour: Number(row.dtime.slice(11, 13)),
        ...of(row),
      }))
      .filter(({ y }) => y !== null)
    const input = JSON.stringify({ blocks, results })
    const found = JSON.parse(
      execFileSync(python, [`${import.meta.dirname}/jackknife.py`], { input, encoding: 'utf8' }),
    ) as Found
    const near = (actual: number | undefined, expected: number): void =>
      expect(Math.abs(Number(actual) / expected - 1)).toBeLessThan(1e-9)
    for (const [kind, points] of Object.entries(found)) {
      for (const aggregation of ['daily', 'total']) {
        const [series] = (await ask('metric_data', {
          metric,
          chartType: 'aggregate',
          aggregation,
          normalised: kind === 'normalised',
          prefilter: false,
          include: ['uncertainty'],
          percentiles: 'none',
          time: { from: '2026-02-13', to: '2026-02-15' },
        })) as { metricData: Point[] }[]
        expect(series?.metricData).toHaveLength(aggregation === 'daily' ? 3 : 1)
        for (const point of series?.metricData ?? []) {
          const { value, standardError, effectiveAgents } = points[point.dtime ?? 'total'] ?? {}
          if (value === undefined || standardError === undefined || effectiveAgents === undefined)
            throw new Error('no point')
          near(point['metricValue'], unit * value)
          near(point['standardError'], unit * standardError)
          near(point['effectiveAgents'], effectiveAgents)
          near(point['ci90'], unit * standardError * tQuantile(0.9, effectiveAgents - 1))
          near(point['ci95'], unit * standardError * tQuantile(0.95, effectiveAgents - 1))
          near(point['ci99'], unit * standardError * tQuantile(0.99, effectiveAgents - 1))
        }
      }
    }
  },
)
