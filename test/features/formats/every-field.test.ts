import { afterAll, beforeAll, expect, it } from 'vitest'
import { tableFromIPC } from 'apache-arrow'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { untilFast } from '../several-metrics/until-fast.ts'
import { differenceOf, flatPoints, formats, readFormat, type Format, type Row } from './read-formats.ts'

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['httpget', 'latency']
  await synthPanel(world, { agents: 25, days: 4, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
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
  time: { from: '2026-02-12', to: '2026-02-15' },
}

type Body = Record<string, unknown>
type Sent = { headers: Headers; bytes: Uint8Array }

async function send(body: Body, format: Format | 'json'): Promise<Sent> {
  const headers = { authorization, 'content-type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify({ ...request, ...body }) }
  const response = await untilFast(() => fetch(`${service.addresses.api}/metric_data?format=${format}`, options))
  const bytes = await response.bytes()
  expect(response.status, `${JSON.stringify(body)} ${new TextDecoder().decode(bytes.slice(0, 500))}`).toBe(200)
  return { headers: response.headers, bytes }
}

type Json = { data: unknown; meta?: Record<string, unknown> }
const json = async (body: Body): Promise<Json> => JSON.parse(new TextDecoder().decode((await send(body, 'json')).bytes))

const seriesOf = (row: Row): string =>
  JSON.stringify([row['metric'], row['isp'], row['package'], row['other'] === true])

/** Only JSON has the points of a series together. Within a series, every format has them in the same order. */
const bySeries = (rows: readonly Row[]): Row[] =>
  [...Map.groupBy(rows, seriesOf)].toSorted(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, group]) => group)

function differences(format: Format, columns: readonly string[], rows: readonly Row[], points: readonly Row[]) {
  expect(rows.length, format).toBe(points.length)
  const expected = bySeries(points)
  return bySeries(rows).flatMap((row, at) => differenceOf(format, columns, row, expected[at] ?? {}) ?? [])
}

async function checkFormats(body: Body): Promise<void> {
  const expected = flatPoints((await json(body)).data)
  expect(expected.length).toBeGreaterThan(1)
  for (const format of formats) {
    const { columns, rows } = readFormat(format, (await send(body, format)).bytes)
    expect(differences(format, columns, rows, expected)).toEqual([])
  }
}

const one = { metric: 'httpget' }
const both = { metrics: ['latency', 'packetLoss'] }
const three = { metrics: ['httpget', 'packetLoss', 'latency'] }

it.each<Body>([
  { ...one, top: { n: 2 }, percentileLevels: [2.5, 97.5] },
  { ...one, top: { n: 2, others: false }, histogram: { bins: 'log' } },
  { ...both, top: { n: 1, by: 'sampleCount' }, include: ['uncertainty', 'coverage'] },
  { ...three, top: { n: 2, direction: 'asc' }, emptyBuckets: true, aggregation: 'six_hourly' },
  { ...three, having: [{ field: 'sampleCount', atLeast: 20 }], order: [{ by: 'metricValue', direction: 'desc' }] },
  { ...both, order: [{ by: 'dtime' }, { by: 'metric' }], limit: 7 },
  { ...both, histogram: { edges: [1, 10, 50] }, percentileLevels: [0.1, 50, 99.9], splits: ['isp', 'package'] },
  { ...one, emptyBuckets: true, aggregation: 'hourly', percentiles: 'none', histogram: { edges: [50] } },
  { ...three, compare: { time: { from: '2026-02-11', to: '2026-02-14' } } },
])('has the same values in every format: %j', { timeout: 300_000 }, checkFormats)

it.each<Body>([
  { ...one, chartType: 'raw' },
  { ...three, top: { n: 2 }, percentiles: 'none' },
])('has the same pages in every format: %j', { timeout: 300_000 }, async (body) => {
  const whole = flatPoints((await json(body)).data)
  const limit = Math.ceil(whole.length / 3)
  for (const format of formats) {
    let [after, shown]: [string | null, number] = [null, 0]
    do {
      const page: Sent = await send({ ...body, limit, after }, format)
      const { columns, rows } = readFormat(format, page.bytes)
      expect(differences(format, columns, rows, whole.slice(shown, shown + limit))).toEqual([])
      shown += rows.length
      after = page.headers.get('broadgauge-next')
    } while (after !== null)
    expect(shown, format).toBe(whole.length)
  }
})

it.each<Body>([
  { ...one, totals: true, percentileLevels: [95], histogram: { edges: [10, 50] } },
  { ...three, totals: true, top: { n: 1 }, order: [{ by: 'agentCount' }], limit: 5 },
])('has the same values and totals in Arrow: %j', { timeout: 300_000 }, async (body) => {
  const { data, meta } = await json(body)
  const { bytes } = await send(body, 'arrow')
  const { columns, rows } = readFormat('arrow', bytes)
  const expected = flatPoints(data)
  expect(differences('arrow', columns, rows, expected)).toEqual([])
  expect(meta).toHaveProperty('totals')
  const ofSchema = JSON.parse(tableFromIPC(bytes).schema.metadata.get('broadgauge.meta') ?? 'null') as Body
  // The time of the first page is in the cursor, and differs between the two requests.
  expect({ ...ofSchema, next: null }).toEqual({ ...meta, next: null })
})
