import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

/** Debian's package of numpy belongs to Debian's Python. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

type Row = { agent_id: string; dtime: string } & Record<string, number | null>
type Bins = { edges: number[]; counts: number[]; below: number; above: number }
type Point = {
  dtime: string
  sampleCount: number
  agentCount: number
  median: number
  percentiles: Record<string, number>
  percentileIntervals: Record<string, [number | null, number | null]>
  histogram: Bins
}
type Described = { percentiles: number[]; median: number; histogram: Omit<Bins, 'edges'>; split: Omit<Bins, 'edges'> }
type Found = Record<string, { results: Described; agents: Described; log: Omit<Bins, 'edges'>; notPositive: number }>

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  // In winter, the local time of the panel is UTC.
  const tests = ['httpget', 'latency']
  await synthPanel(world, { agents: 30, days: 2, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const send = (path: string, body: unknown): Promise<Answer> =>
  call(`${service.addresses.api}/${path}`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const time = { from: '2026-02-14', to: '2026-02-15' }
const base = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time,
}

async function points(request: object): Promise<Point[]> {
  const answer = await send('metric_data', { ...base, ...request })
  expect(answer.body, answer.text.slice(0, 500)).toMatchObject({ code: 'OK' })
  return (answer.body['data'] as { metricData: Point[] }[]).flatMap(({ metricData }) => metricData)
}

const levels = [0.1, 2.5, 33, 97.5, 99.9]
const whole = ({ counts, below, above }: Bins): number => counts.reduce((sum, one) => sum + one, below + above)

it.each([
  ['httpget', 'httpget', ({ bytes_sec: speed }: Row) => (speed === null ? null : (Number(speed) * 8) / 1e6)],
  [
    'latency',
    'latency',
    ({ rtt_avg: microseconds }: Row) => (microseconds === null ? null : Number(microseconds) / 1000),
  ],
  [
    'packetLoss',
    'latency',
    ({ successes, failures }: Row) => (100 * Number(failures)) / (Number(successes) + Number(failures)),
  ],
])('has the percentiles and histograms of %s that numpy computes from the results', async (metric, test, of) => {
  const answer = await send('test_data', { test, date: time })
  const rows = (answer.body['data'] as Row[]).filter(
    ({ successes }) => metric === 'packetLoss' || Number(successes) > 0,
  )
  const logOfDays = new Map((await points({ metric, histogram: { bins: 'log' } })).map((one) => [one.dtime, one]))
  const groups = Object.fromEntries(
    Map.groupBy(rows, ({ dtime }) => dtime.slice(0, 10))
      .entries()
      .map(([day, ofDay]) => {
        const values = ofDay.flatMap((row) => of(row) ?? []).toSorted((one, other) => one - other)
        // Edges that are values of results, because only these show to which side an edge belongs.
        const edges = [
          ...new Set([0.02, 0.2, 0.5, 0.8, 1].map((share) => values[Math.ceil(share * values.length) - 1])),
        ]
        const agents = Object.fromEntries(
          Map.groupBy(ofDay, (row) => row.agent_id)
            .entries()
            .map(([agent, ofAgent]): [string, number[]] => [agent, ofAgent.flatMap((row) => of(row) ?? [])])
            .filter(([, own]) => own.length > 0),
        )
        const logEdges = logOfDays.get(day)?.histogram.edges ?? []
        return [day, { edges: edges.length > 1 ? edges : [-1, ...edges], logEdges, agents }]
      }),
  )
  const input = JSON.stringify({ levels, groups })
  const script = `${import.meta.dirname}/distribution.py`
  const found = JSON.parse(execFileSync(python, [script], { input, encoding: 'utf8' })) as Found
  expect(Object.keys(found)).toHaveLength(2)
  for (const [day, expected] of Object.entries(found)) {
    const { edges = [] } = groups[day] ?? {}
    const ofDay = { metric, time: { from: day, to: day }, percentileLevels: levels }
    const near = (actual: Point | undefined, { percentiles, median }: Described): void => {
      expect(Object.keys(actual?.percentiles ?? {})).toHaveLength(levels.length)
      const close = (value: number) => expect.closeTo(value, 10 - Math.ceil(Math.log10(Math.abs(value) + 1)))
      expect(levels.map((level) => actual?.percentiles[level])).toEqual(percentiles.map(close))
      expect(actual?.median).toEqual(close(median))
    }
    const [results] = await points({ ...ofDay, histogram: { edges } })
    near(results, expected.results)
    expect(results?.histogram).toEqual({ edges, ...expected.results.histogram })
    const [split] = await points({ ...ofDay, histogram: { edges: edges.slice(1, 2) } })
    expect(split?.histogram).toEqual({ edges: edges.slice(1, 2), ...expected.results.split })
    const log = logOfDays.get(day)
    expect(log?.histogram).toEqual({ edges: log?.histogram.edges, ...expected.log, below: expected.notPositive })
    if (metric === 'packetLoss') continue
    const [agents] = await points({ ...ofDay, perAgent: { statistic: 'median' }, histogram: { edges } })
    near(agents, expected.agents)
    expect(agents?.histogram).toEqual({ edges, ...expected.agents.histogram })
  }
})

it('has edges of logarithmic bins at powers of the eighth root of two, around all positive values', async () => {
  for (const { histogram, ...point } of await points({ histogram: { bins: 'log' } })) {
    const { edges } = histogram
    const logs = edges.map((edge) => Math.log2(edge) * 8)
    expect(logs).toEqual(logs.map((_, index) => expect.closeTo(Math.round(logs[0] ?? 0) + index, 9)))
    expect(histogram.counts).toHaveLength(edges.length - 1)
    expect([histogram.counts[0], histogram.counts.at(-1)]).not.toContain(0)
    expect(whole(histogram)).toBe(point.sampleCount)
  }
})

const histograms = [{ edges: [50] }, { edges: [1, 20, 50, 80, 100] }, { bins: 'log' }]
const requests: object[] = [
  { aggregation: 'hourly', splits: ['isp'] },
  { aggregation: 'hour_of_day', normalised: true, prefilter: true },
  { aggregation: 'total', relativeTo: 'plan' },
  { prefilter: true, include: ['prefilter', 'coverage', 'uncertainty'] },
  { metric: 'packetLoss', percentiles: 'none', splits: ['package'] },
  { percentiles: 'sketch', fields: ['sampleCount', 'agentCount', 'median', 'percentiles'] },
]

it.each(requests)('counts every result, and with perAgent every agent, in one bin: %o', async (request) => {
  for (const histogram of 'aggregation' in request ? histograms : histograms.slice(1, 2)) {
    const ofResults = await points({ ...request, histogram })
    expect(ofResults.length).toBeGreaterThan(0)
    expect(ofResults.map((point) => whole(point.histogram))).toEqual(ofResults.map(({ sampleCount }) => sampleCount))
    if ('include' in request || ('percentiles' in request && request.percentiles === 'sketch')) continue
    const perAgent = { statistic: 'mean', minimumResults: 5 }
    const ofAgents = await points({ ...request, perAgent, histogram, fields: ['agentCount'] })
    expect(ofAgents.map((point) => whole(point.histogram))).toEqual(ofAgents.map(({ agentCount }) => agentCount))
  }
})

it.each([{}, { normalised: true }, { percentiles: 'sketch' }, { percentiles: 'sketch', normalised: true }])(
  'has the same percentiles for levels as without them, and the same median: %o',
  async (request) => {
    const asked = { ...request, include: ['uncertainty'] }
    const all = await points(asked)
    const some = await points({ ...asked, percentileLevels: [95, 5, 25] })
    const pick = ({ percentiles: { 5: five, 25: quarter, 95: most } }: Point) => ({ 5: five, 25: quarter, 95: most })
    expect(some.map(({ percentiles }) => percentiles)).toEqual(all.map(pick))
    expect(some.map(({ median }) => median)).toEqual(all.map(({ median }) => median))
    const intervals = all.map(({ percentileIntervals: one }) => one && { 5: one['5'], 25: one['25'], 95: one['95'] })
    expect(some.map(({ percentileIntervals }) => percentileIntervals)).toEqual(intervals)
  },
)

it('has exact intervals for any levels of percentiles of agents', async () => {
  const asked = { perAgent: { statistic: 'mean' }, include: ['uncertainty'], aggregation: 'total' }
  const [all] = await points(asked)
  const [some] = await points({ ...asked, percentileLevels: [0.001, 20, 50, 99.999] })
  const both = { 20: all?.percentileIntervals['20'], 50: all?.percentileIntervals['50'] }
  expect(some?.percentileIntervals).toEqual({
    '0.001': [null, expect.any(Number)],
    ...both,
    '99.999': [expect.any(Number), null],
  })
})

it('agrees with reaching about agents at an edge', async () => {
  const asked = { perAgent: { statistic: 'share', atLeast: 50 }, fields: ['agentCount'], aggregation: 'total' }
  for (const edge of [0, 50, 100]) {
    const [point] = await points({ ...asked, reaching: { atLeast: edge }, histogram: { edges: [edge] } })
    expect(point?.histogram.above).toBe((point as unknown as { reachingAgents: number }).reachingAgents)
  }
})

it('writes the same percentiles and histograms into files', async () => {
  const request = {
    percentileLevels: [2.5, 99.9],
    histogram: { edges: [10, 50] },
    fields: ['sampleCount', 'percentiles'],
  }
  const answer = await send('metric_data.csv', { ...base, ...request })
  const { url } = answer.body['data'] as { url: string }
  const text = await (await fetch(url)).text()
  const [header = '', ...lines] = text.trim().split('\r\n')
  expect(header.replaceAll('"', '')).toBe(
    'dtime,sampleCount,percentile_2.5,percentile_99.9,histogram_edges,histogram_counts,histogram_below,histogram_above,partial',
  )
  const rows = (await points(request)).map(({ dtime, sampleCount, percentiles, histogram: one }) =>
    [
      `"${dtime}"`,
      sampleCount,
      percentiles['2.5'],
      percentiles['99.9'],
      '"[10,50]"',
      `"[${one.counts.join(',')}]"`,
      one.below,
      one.above,
      'false',
    ].join(','),
  )
  expect(lines).toEqual(rows)
})
