import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { tQuantile } from '../../../src/compile/metric/intervals/t-quantiles.ts'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['httpget', 'latency']
  await synthPanel(world, { agents: 12, days: 4, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-03-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

type Point = Record<string, number | null> & {
  dtime?: string
  agent?: string
  percentileIntervals?: Record<string, [number | null, number | null]> | null
  caution?: string[]
}

async function points(request: Record<string, unknown>): Promise<Point[]> {
  const answer = await call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: false,
      time: { from: '2026-03-12 00:00', to: '2026-03-14 23:59:59' },
      ...request,
    }),
  })
  expect(answer.body, JSON.stringify(answer.body).slice(0, 2_000)).toMatchObject({ code: 'OK' })
  return (answer.body['data'] as { metricData: Point[] }[]).flatMap(({ metricData }) => metricData)
}

const numberOf = (point: Point, name: string): number => {
  const value = point[name]
  if (typeof value !== 'number') throw new Error(`${name} is ${String(value)}`)
  return value
}

describe('the standard error', () => {
  it.each([
    ['mean', { metric: 'httpget', normalised: false }, 'daily'],
    ['share', { metric: 'packetLoss', normalised: false }, 'daily'],
    ['normalised mean', { metric: 'httpget', normalised: true }, 'daily'],
    // Some agents have all results of a block of these points.
    ['normalised mean', { metric: 'httpget', normalised: true }, 'six_hourly'],
    ['normalised share', { metric: 'packetLoss', normalised: true }, 'total'],
  ])(
    'of a %s is that of the jackknife: the same request without each agent (%o, %s)',
    async (_kind, request, aggregation) => {
      const all = await points({ ...request, aggregation, include: ['uncertainty'] })
      const agents = new Set((await points({ ...request, splits: ['agent'] })).map(({ agent }) => String(agent)))
      expect(agents.size).toBeGreaterThan(9)
      const without = new Map<string, number[]>()
      for (const agent of agents) {
        const filters = [{ id: 'agent', filterType: 'exclude', filterValues: [agent] }]
        const others = await points({ ...request, aggregation, filters, fields: ['metricValue', 'agentCount'] })
        for (const point of others) {
          // A point in which the agent has no results stays the same and adds nothing to the variance.
          const full = all.find(({ dtime }) => dtime === point.dtime)
          if (full?.['agentCount'] === point['agentCount']) continue
          const key = point.dtime ?? ''
          without.set(key, [...(without.get(key) ?? []), numberOf(point, 'metricValue')])
        }
      }
      expect(all.length).toBeGreaterThan(aggregation === 'total' ? 0 : 2)
      for (const point of all) {
        const others = without.get(point.dtime ?? '') ?? []
        const m = numberOf(point, 'agentCount')
        expect(others.length).toBe(m)
        const value = numberOf(point, 'metricValue')
        const variance = ((m - 1) / m) * others.reduce((sum, one) => sum + (one - value) ** 2, 0)
        expect(numberOf(point, 'standardError')).toBeCloseTo(Math.sqrt(variance), 8)
        expect(numberOf(point, 'degreesOfFreedom')).toBe(Math.max(1, numberOf(point, 'effectiveAgents') - 1))
      }
    },
    60_000,
  )
})

it('weights agents by their results: effective agents, degrees of freedom, and half-widths by the t distribution', async () => {
  const [all] = await points({ metric: 'latency', aggregation: 'total', include: ['uncertainty'] })
  const counts = (await points({ metric: 'latency', aggregation: 'total', splits: ['agent'] })).map((one) =>
    numberOf(one, 'sampleCount'),
  )
  if (all === undefined) throw new Error('no point')
  const sum = counts.reduce((one, other) => one + other)
  const effective = sum ** 2 / counts.reduce((squares, one) => squares + one ** 2, 0)
  expect(numberOf(all, 'effectiveAgents')).toBeCloseTo(effective, 10)
  expect(numberOf(all, 'largestAgentShare')).toBeCloseTo(Math.max(...counts) / sum, 12)
  const freedom = effective - 1
  const whole = Math.floor(freedom)
  for (const [field, level] of [
    ['ci90', 0.9],
    ['ci95', 0.95],
    ['ci99', 0.99],
  ] as const) {
    const [low, high] = [tQuantile(level, whole), tQuantile(level, whole + 1)]
    const t = low + ((high - low) * (1 / freedom - 1 / whole)) / (1 / (whole + 1) - 1 / whole)
    expect(numberOf(all, field) / numberOf(all, 'standardError')).toBeCloseTo(t, 10)
  }
  expect(all.caution).toEqual(['few_agents'])
})

it('a point of one agent has no interval, and says so', async () => {
  for (const point of await points({ metric: 'httpget', splits: ['agent'], include: ['uncertainty'] })) {
    expect(point).toMatchObject({
      caution: ['one_agent'],
      ci90: null,
      ci95: null,
      ci99: null,
      standardError: null,
      effectiveAgents: 1,
      degreesOfFreedom: null,
      largestAgentShare: 1,
      designEffect: null,
      effectiveSampleSize: null,
      percentileIntervals: null,
    })
  }
})

it('with intervals by results, the half-widths are those of independent results, and the design effect compares both', async () => {
  const [byAgents] = await points({ metric: 'httpget', aggregation: 'total', include: ['uncertainty'] })
  const [byResults] = await points({ metric: 'httpget', aggregation: 'total', intervals: 'results' })
  if (byAgents === undefined || byResults === undefined) throw new Error('no point')
  const plainError = numberOf(byResults, 'stdDev') / Math.sqrt(numberOf(byResults, 'sampleCount'))
  expect(numberOf(byResults, 'ci95') / plainError).toBeCloseTo(1.959963984540054, 12)
  expect(byResults.caution).toBeUndefined()
  const effect = (numberOf(byAgents, 'standardError') / plainError) ** 2
  expect(numberOf(byAgents, 'designEffect') / effect).toBeCloseTo(1, 10)
  expect(numberOf(byAgents, 'effectiveSampleSize') * effect).toBeCloseTo(numberOf(byAgents, 'sampleCount'), 6)
  expect(effect).toBeGreaterThan(2)
})

it('a point has just the fields of the request, and the numbers stay the same', async () => {
  const [whole] = await points({ metric: 'latency', aggregation: 'total', splits: ['isp'] })
  const some = ['max', 'metricValue', 'median'] as const
  const [part] = await points({ metric: 'latency', aggregation: 'total', splits: ['isp'], fields: some })
  expect(part).toEqual({
    metricValue: whole?.['metricValue'],
    max: whole?.['max'],
    median: whole?.['median'],
    isp: whole?.['isp'],
  })
})

it('an interval of a percentile holds it, and comes from the values of the results', async () => {
  const [point] = await points({ metric: 'latency', aggregation: 'total', include: ['uncertainty'] })
  const percentiles = point?.['percentiles'] as unknown as Record<string, number>
  const intervals = point?.percentileIntervals ?? {}
  expect(Object.keys(intervals)).toEqual(Object.keys(percentiles))
  const [low, high] = intervals['50'] ?? []
  expect(low).toBeLessThan(percentiles['50'] ?? 0)
  expect(high).toBeGreaterThan(percentiles['50'] ?? 0)
})
