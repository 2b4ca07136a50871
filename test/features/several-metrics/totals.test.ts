import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { tableFromIPC } from 'apache-arrow'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { untilFast } from './until-fast.ts'

type Body = Record<string, unknown>
type Series = { metricData: Record<string, unknown>[] }[]
type Found = { data: Series; meta: Record<'totals' | 'overall' | 'grand', Series> & Body }

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['httpget', 'latency']
  const panel = { agents: 30, days: 5, owner: 'acme', tests, until: '2026-02-15' }
  await synthPanel(world, { ...panel, kinds: ['whitebox', 'cpe'], geography: 'odd-zones' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const request = {
  metric: 'latency',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  splits: ['isp'],
  time: { from: '2026-02-12 05:00', to: '2026-02-15' },
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

async function answer(body: Body): Promise<Found> {
  const { status, body: found, text } = await send('metric_data', body)
  expect(status, `${JSON.stringify(body)} ${text.slice(0, 500)}`).toBe(200)
  return found as unknown as Found
}

it.each<Body>([
  {},
  { percentiles: 'none', splits: ['isp', 'package'] },
  { include: ['uncertainty', 'coverage', 'prefilter'], normalised: true },
  { percentiles: 'sketch', intervals: 'results', fields: ['metricValue', 'percentiles', 'agentCount'] },
  { splits: ['peak'], normalised: true, histogram: { bins: 'log' } },
  { splits: ['hour_of_day', 'isp'], aggregation: 'weekly', percentileLevels: [2.5, 97.5] },
  { perAgent: { statistic: 'percentile', level: 20 }, reaching: { below: 30 }, include: ['uncertainty'] },
  { metric: 'httpget', relativeTo: 'plan', splits: ['package'], include: ['uncertainty'] },
  { aggregation: 'six_hourly', emptyBuckets: true, splits: ['country'] },
  { aggregation: 'hour_of_day', window: { weekdays: [1, 2, 3, 4, 5], hours: [8, 9, 20] } },
  { metric: undefined, metrics: ['httpget', 'latency'], histogram: { edges: [10, 50] } },
  { metric: undefined, metrics: ['latency', 'packetLoss'], top: { n: 1 }, percentiles: 'none' },
  { filters: [{ id: 'country', filterType: 'exclude', filterValues: ['FR'] }], splits: ['agent'] },
])('adds totals to %j that equal requests without splits', { timeout: 300_000 }, async (body) => {
  // Without splits there are no series to rank.
  const unsplit = { ...body, splits: [], top: null }
  const [found, points, totals, overall, grand] = [
    await answer({ ...body, totals: true }),
    await answer(body),
    await answer(unsplit),
    await answer({ ...body, aggregation: 'total', emptyBuckets: false }),
    await answer({ ...unsplit, aggregation: 'total', emptyBuckets: false }),
  ]
  expect(found.data).toEqual(points.data)
  expect(found.meta.totals).toEqual(totals.data)
  expect(found.meta.overall).toEqual(overall.data)
  expect(found.meta.grand).toEqual(grand.data)
  expect(found.data.flatMap(({ metricData }) => metricData).length).toBeGreaterThan(
    found.meta.totals.flatMap(({ metricData }) => metricData).length,
  )
})

it.each<Body>([{ splits: [] }, { aggregation: 'total' }, { splits: [], aggregation: 'total' }])(
  'does not compute totals of %j that are points',
  { timeout: 300_000 },
  async (body) => {
    const found = await answer({ ...body, totals: true })
    const [totals, overall, grand] = [
      await answer({ ...body, splits: [] }),
      await answer({ ...body, aggregation: 'total' }),
      await answer({ ...body, splits: [], aggregation: 'total' }),
    ]
    expect(found.meta).toMatchObject({ totals: totals.data, overall: overall.data, grand: grand.data })
  },
)

it('selects points, but no totals', async () => {
  const whole = await answer({ totals: true })
  const found = await answer({ totals: true, order: [{ by: 'sampleCount', direction: 'desc' }], limit: 2 })
  expect(found.data.flatMap(({ metricData }) => metricData)).toHaveLength(2)
  const { totals, overall, grand } = whole.meta
  expect(found.meta).toMatchObject({ totals, overall, grand, points: { shown: 2 } })
})

it.each<Body>([
  { splits: ['isp', 'package'] },
  { metric: undefined, metrics: ['latency', 'httpget'], top: { n: 2 }, order: [{ by: 'sampleCount' }] },
])('has the same totals on every page of %j', { timeout: 300_000 }, async (body) => {
  const whole = await answer({ ...body, totals: true, limit: 100_000 })
  const points = ({ data }: Found) => data.flatMap(({ metricData }) => metricData)
  const limit = Math.ceil(points(whole).length / 3)
  const shown: object[] = []
  let after: string | null = null
  do {
    const page: Found = await answer({ ...body, totals: true, limit, after })
    for (const set of ['totals', 'overall', 'grand'] as const) expect(page.meta[set], set).toEqual(whole.meta[set])
    shown.push(...points(page))
    after = page.meta['next'] as string | null
  } while (after !== null)
  // A page has the points of a series together, but not the whole response.
  const sorted = (all: readonly object[]) => all.map((point) => JSON.stringify(point)).toSorted()
  expect(sorted(shown)).toEqual(sorted(points(whole)))
  expect(shown.length).toBeGreaterThan(limit)
})

it('has the totals in the metadata of Arrow, and refuses formats and fields without a place for them', async () => {
  const { meta } = await answer({ totals: true })
  const headers = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ ...request, totals: true })
  const arrow = await untilFast(() =>
    fetch(`${service.addresses.api}/metric_data?format=arrow`, { method: 'POST', headers, body }),
  )
  const { schema } = tableFromIPC(await arrow.bytes())
  expect(JSON.parse(schema.metadata.get('broadgauge.meta') ?? 'null')).toEqual(meta)
  const refused = await Promise.all([
    send('metric_data?format=csv', { totals: true }),
    send('metric_data', { totals: true, chartType: 'raw' }),
    send('metric_data', { totals: true, compare: { previous: true }, aggregation: 'total' }),
    send('metric_data', { totals: 1 }),
    send('metric_data.csv', { totals: true, format: 'csv' }),
  ])
  expect(refused.map(({ status, body: { errors } }) => [status, Object.keys(errors as object)])).toEqual([
    [422, ['format']],
    [422, ['totals']],
    [422, ['totals']],
    [422, ['totals']],
    [422, ['totals']],
  ])
})

it('refuses a request whose statement would be too long', { timeout: 120_000 }, async () => {
  const metrics = [
    'latency',
    'packetLoss',
    'httpget',
    'httppost',
    'jitterUp',
    'jitterDown',
    'dnsFail',
    'dnsResponse',
    'webgetFail',
    'webgetAvg',
  ]
  const include = ['uncertainty', 'prefilter', 'coverage']
  const { status, body } = await send('metric_data', { metric: undefined, metrics, include, totals: true })
  expect([status, body['code']]).toEqual([422, 'QUERY_TOO_LARGE'])
  expect(body['message']).toContain('ask for fewer of them')
})
