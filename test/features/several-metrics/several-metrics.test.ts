import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { differenceOf, flatPoints, formats, readFormat } from '../formats/read-formats.ts'
import { untilFast } from './until-fast.ts'

type Point = Record<string, unknown>
type Body = Record<string, unknown>

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['httpget', 'httppost', 'latency', 'network_usage']
  const panel = { agents: 40, days: 6, owner: 'acme', tests, until: '2026-02-15' }
  await synthPanel(world, { ...panel, kinds: ['whitebox', 'cpe'], geography: 'odd-zones' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const request = {
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  splits: ['isp'],
  time: { from: '2026-02-11 05:00', to: '2026-02-15' },
}

const send = (path: string, body: Body): Promise<Answer> =>
  untilFast(() =>
    call(`${service.addresses.api}/${path}`, {
      method: 'POST',
      token: authorization,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, ...body }),
    }),
  )

type Found = { series: Point[][]; meta: Record<string, unknown> }

async function answer(body: Body): Promise<Found> {
  const { status, body: found, text } = await send('metric_data', body)
  expect(status, `${JSON.stringify(body)} ${text.slice(0, 500)}`).toBe(200)
  const series = (found['data'] as { metricData: Point[] }[]).map(({ metricData }) => metricData)
  return { series, meta: found['meta'] as Record<string, unknown> }
}

/** The series of the requests for each of the metrics alone, as a request for all of them must return them. */
async function alone(metrics: readonly string[], body: Body): Promise<Point[][]> {
  const found = await Promise.all(
    metrics.map(async (metric) => {
      const { series } = await answer({ ...body, metric })
      return series.filter((points) => points.length > 0).map((points) => points.map((point) => ({ metric, ...point })))
    }),
  )
  return found.flat()
}

const ofLatency = ['packetLoss', 'latency']
const ofDownload = ['httpget_multi', 'httpget_retrans', 'httpget', 'httpget_single']
const ofTests = ['latency', 'httpget', 'packetLoss', 'wanDown', 'httppost']
const speeds = ['httpget', 'httppost', 'httpget_multi']
const all = { fields: null, include: ['uncertainty'] }

it.each<[string[], Body]>([
  [ofLatency, {}],
  [ofLatency, { percentiles: 'none', splits: [] }],
  [ofLatency, { normalised: true, ...all }],
  [ofLatency, { percentiles: 'sketch', normalised: true }],
  [ofLatency, { aggregation: 'total', splits: ['isp', 'package'], ...all }],
  [ofLatency, { prefilter: false, include: ['uncertainty', 'coverage', 'meta'] }],
  [ofLatency, { include: ['prefilter', 'coverage', 'uncertainty'], normalised: true }],
  [ofLatency, { histogram: { bins: 'log' }, percentileLevels: [2.5, 50, 99.9] }],
  [
    ofLatency,
    { perAgent: { statistic: 'mean', minimumResults: 3 }, reaching: { below: 20 }, include: ['uncertainty'] },
  ],
  [ofLatency, { window: { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] }, splits: ['hour_of_day'] }],
  [ofLatency, { filters: [{ id: 'peak', filterType: 'include', filterValues: ['peak'] }], aggregation: 'hourly' }],
  [ofLatency, { fields: ['max', 'metricValue'], intervals: 'results', aggregation: 'hour_of_day' }],
  [
    ofLatency,
    { wholePeriods: true, filters: [{ not: { id: 'country', filterType: 'include', filterValues: ['FR'] } }] },
  ],
  [ofDownload, { ...all, splits: ['isp', 'threads'] }],
  [ofDownload, { percentiles: 'none' }],
  [ofDownload, { include: ['prefilter', 'coverage'] }],
  [ofDownload, { normalised: true, histogram: { edges: [1, 10, 100] } }],
  [ofDownload, { perAgent: { statistic: 'percentile', level: 20 }, normalised: true }],
  [ofDownload, { perAgent: { statistic: 'trimmedMean', low: 1, high: 99 }, histogram: { bins: 'log' } }],
  [ofDownload, { filters: [{ id: 'threads', filterType: 'above', filterValues: [1] }] }],
  [ofTests, all],
  [ofTests, { normalised: true, percentiles: 'none', aggregation: 'six_hourly' }],
  [ofTests, { histogram: { edges: [5, 50] }, include: ['prefilter', 'coverage', 'uncertainty'] }],
  [ofTests, { agent_agg: true, include: ['uncertainty'] }],
  [speeds, { relativeTo: 'plan', splits: ['package'], ...all }],
  [speeds, { preset: 'fcc.plan-bands', aggregation: 'total' }],
  [speeds, { relativeTo: 'plan', include: ['prefilter'], normalised: true }],
  [ofTests, { emptyBuckets: true, aggregation: 'hourly', percentiles: 'none', splits: [] }],
  [['latency'], { aggregation: 'hourly' }],
  [ofTests, { top: { n: 2 } }],
  [ofLatency, { top: { n: 1, by: 'max', direction: 'asc' }, include: ['uncertainty', 'prefilter'], normalised: true }],
  [ofDownload, { top: { n: 2, by: 'percentiles.95', others: false }, splits: ['isp', 'threads'] }],
])('returns for %j with %j what requests for one metric return', { timeout: 300_000 }, async (metrics, body) => {
  const [several, expected] = [await answer({ ...body, metrics }), await alone(metrics, body)]
  expect(several.series).toEqual(expected)
  expect(several.series.flat().length).toBeGreaterThan(metrics.length)
})

it.each<[string[], Body]>([
  [
    ofLatency,
    { compare: { time: { from: '2026-02-10', to: '2026-02-12' } }, time: { from: '2026-02-13', to: '2026-02-15' } },
  ],
  [
    ofTests,
    {
      compare: { filters: [{ id: 'peak', filterType: 'exclude', filterValues: ['peak'] }] },
      filters: [{ id: 'peak', filterType: 'include', filterValues: ['peak'] }],
      percentiles: 'none',
    },
  ],
  [speeds, { compare: { previous: true, match: 'agents' }, relativeTo: 'plan', aggregation: 'total' }],
])(
  'compares %j with %j, and adjusts the p-values of all metrics together',
  { timeout: 300_000 },
  async (metrics, body) => {
    const [several, expected] = [await answer({ ...body, metrics }), await alone(metrics, body)]
    // A point whose base has no agents has no comparison.
    const unadjusted = ({ comparison, ...point }: Point): Point => {
      if (comparison === null) return { ...point, comparison }
      const { pAdjusted: _p, verdict: _verdict, better: _better, ...rest } = comparison as Point
      return { ...point, ...rest }
    }
    const found = several.series.flat()
    expect(found.map(unadjusted)).toEqual(expected.flat().map(unadjusted))
    const values = found.flatMap(({ comparison }) => (comparison as Point | null)?.['pValue'] ?? []) as number[]
    expect(values.length).toBeGreaterThan(metrics.length)
    expect(several.meta['comparisons']).toMatchObject({ number: values.length })
    const [least] = values.toSorted((one, other) => one - other)
    const first = found.find(({ comparison }) => (comparison as Point | null)?.['pValue'] === least)?.[
      'comparison'
    ] as Point
    expect(first['pAdjusted']).toBeCloseTo(Math.min(1, (least ?? 0) * values.length), 12)
  },
)

it('selects and orders the points of all metrics together', { timeout: 300_000 }, async () => {
  const every = (await answer({ metrics: ofTests })).series.flat()
  const having = [{ field: 'sampleCount', atLeast: 100 }]
  const order = [{ by: 'metric', direction: 'desc' }, { by: 'sampleCount' }]
  const { series, meta } = await answer({ metrics: ofTests, having, order, limit: 25 })
  const kept = every.filter((point) => Number(point['sampleCount']) >= 100)
  const inOrder = kept.toSorted(
    (one, other) =>
      Buffer.compare(Buffer.from(String(other['metric'])), Buffer.from(String(one['metric']))) ||
      Number(one['sampleCount']) - Number(other['sampleCount']),
  )
  const shown = inOrder.slice(0, 25)
  expect(shown.length).toBeLessThan(kept.length)
  expect(series.flat().length).toBe(25)
  expect(new Set(series.flat().map((point) => JSON.stringify(point)))).toEqual(
    new Set(shown.map((point) => JSON.stringify(point))),
  )
  expect(meta['points']).toEqual({ computed: every.length, shown: 25 })
  const metrics = meta['metrics'] as { key: string; unit: string }[]
  expect(metrics.map(({ key, unit }) => `${key} ${unit}`)).toEqual([
    'latency ms',
    'httpget mbps',
    'packetLoss %',
    'wanDown MB',
    'httppost mbps',
  ])
})

it('has the metric in every format, in files and in the query string', { timeout: 300_000 }, async () => {
  const body = { metrics: ofTests, percentiles: 'none', include: ['uncertainty'] }
  const expected = flatPoints((await send('metric_data', body)).body['data'])
  const headers = { authorization, accept: 'application/json', 'content-type': 'application/json' }
  for (const format of formats) {
    const options = { method: 'POST', headers, body: JSON.stringify({ ...request, ...body }) }
    const response = await untilFast(() => fetch(`${service.addresses.api}/metric_data?format=${format}`, options))
    expect(response.headers.get('content-disposition')).toContain('5_metrics-by-isp-daily-')
    const { columns, rows } = readFormat(format, await response.bytes())
    expect(rows.length).toBe(expected.length)
    expect(columns.indexOf('metric')).toBe(columns.indexOf('isp') - 1)
    expect(rows.map((row, at) => differenceOf(format, columns, row, expected[at] ?? {})).filter(Boolean)).toEqual([])
  }
  const query = `metrics=${ofTests.join(',')}&aggregation=daily&split=isp&from=2026-02-11%2005:00&to=2026-02-15&include=uncertainty&percentiles=none`
  const read = await untilFast(() => call(`${service.addresses.api}/metric_data?${query}`, { token: authorization }))
  expect(read.status, read.text.slice(0, 300)).toBe(200)
  expect(flatPoints(read.body['data'])).toEqual(expected)

  const file = await send('metric_data.csv', { ...body, format: 'csv' })
  const { url, rows: count, warnings } = file.body['data'] as { url: string; rows: number; warnings?: unknown }
  expect([count, warnings]).toEqual([expected.length, undefined])
  const { columns, rows } = readFormat('csv', await (await fetch(url)).bytes())
  expect(rows.map((row, at) => differenceOf('csv', columns, row, expected[at] ?? {})).filter(Boolean)).toEqual([])
})

it('estimates all metrics together', async () => {
  const estimateOf = async (body: Body) =>
    (await send('metric_data/estimate', body)).body['data'] as { rows: number; bytes: number; pointsAtMost: number }
  const [latency, httpget, both] = await Promise.all([
    estimateOf({ metric: 'latency' }),
    estimateOf({ metric: 'httpget' }),
    estimateOf({ metrics: ['latency', 'httpget'] }),
  ])
  expect(both.rows).toBe(latency.rows + httpget.rows)
  expect(both.bytes).toBe(latency.bytes + httpget.bytes)
  expect(both.pointsAtMost).toBeGreaterThan(latency.pointsAtMost)
})

it.each<[Body, string, string]>([
  [{ metric: 'latency', metrics: ['latency'] }, 'metrics', 'Leave out this field or "metric".'],
  [{}, 'metric', 'This field is missing.'],
  [{ metrics: [] }, 'metrics', 'This list should contain from 1 to 10 metrics.'],
  [{ metrics: ['latency', 'ping', 'latency'] }, 'metrics[2]', 'This metric is repeated.'],
  [{ metrics: ['latency', 'nope'] }, 'metrics[1]', 'The value you selected is not a valid choice.'],
  [{ metrics: ['latency'], chartType: 'raw' }, 'metrics', 'Raw points are of one metric; use "metric".'],
  [
    { metrics: ['httpget', 'latency'], relativeTo: 'plan' },
    'relativeTo',
    'Packages have no speed for the metric latency.',
  ],
])('refuses %j', async (body, path, message) => {
  const { status, body: found } = await send('metric_data', body)
  expect(status).toBe(422)
  expect(found).toMatchObject({ errors: { [path]: [message] } })
})

it('says which metric lacks a dimension', async () => {
  const metrics = ['httpget', 'latency']
  const filters = [{ id: 'threads', filterType: 'include', filterValues: ['1'] }]
  const { body } = await send('metric_data', { metrics, splits: ['threads'], filters })
  const reason = 'threads is not a dimension of the metric latency.'
  expect(body).toMatchObject({ details: { 'splits[0]': { reason }, 'filters[0][id]': { reason } } })
})

it('names the test in a warning about the range', async () => {
  const { body } = await send('metric_data', {
    metrics: ['latency', 'packetLoss', 'httpget'],
    time: { from: '2025-01-01', to: '2026-02-15' },
  })
  const warnings = body['warnings'] as { code: string; test?: string }[]
  expect(warnings.map(({ code, test }) => [code, test])).toEqual([
    ['range_beyond_data', 'latency'],
    ['range_beyond_data', 'httpget'],
  ])
})
