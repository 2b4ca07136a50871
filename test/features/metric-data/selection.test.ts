import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

type Point = Record<string, unknown> & { metricValue: number; isp: string | null; dtime: string }

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['latency']
  await synthPanel(world, { agents: 40, days: 4, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const request = {
  metric: 'latency',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  splits: ['isp'],
  time: { from: '2026-02-12', to: '2026-02-15' },
}

const send = (path: string, body: object): Promise<Answer> =>
  call(`${service.addresses.api}/${path}`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, ...body }),
  })

async function answer(body: object): Promise<{ series: Point[][]; points: Point[]; meta: Record<string, unknown> }> {
  const { status, body: found, text } = await send('metric_data', body)
  expect(status, text.slice(0, 500)).toBe(200)
  const series = (found['data'] as { metricData: Point[] }[]).map(({ metricData }) => metricData)
  return { series, points: series.flat(), meta: found['meta'] as Record<string, unknown> }
}

const numberIn = (point: Point, name: string): number | null =>
  name.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key] ?? null, point) as
    | number
    | null

it.each([
  [{}, 'metricValue'],
  [{ percentileLevels: [2.5, 50] }, 'percentiles.2.5'],
  [{ include: ['uncertainty', 'coverage'] }, 'coverage.share'],
  [{ compare: { previous: true }, time: { from: '2026-02-14', to: '2026-02-15' } }, 'comparison.difference'],
  [{ perAgent: { statistic: 'median' }, reaching: { below: 20 } }, 'reachingShare'],
])('returns the points of the same request without a selection: %j by %s', async (body, name) => {
  const { points: all } = await answer(body)
  // The level 2.5 has a dot of its own.
  const read = (point: Point) =>
    name === 'percentiles.2.5' ? (point['percentiles'] as Record<string, number>)['2.5'] : numberIn(point, name)
  const values = all.flatMap((point) => read(point) ?? []).toSorted((one, other) => one - other)
  expect(values.length).toBeGreaterThan(8)
  const bound = values[Math.floor(values.length / 2)] ?? Number.NaN

  const { points: above, meta } = await answer({ ...body, having: [{ field: name, atLeast: bound }] })
  const expected = all.filter((point) => (read(point) ?? Number.NaN) >= bound)
  expect(above).toEqual(expected)
  expect(above.length).toBeGreaterThan(0)
  expect(above.length).toBeLessThan(all.length)
  expect(meta).toMatchObject({ points: { computed: all.length, shown: expected.length } })

  const order = [{ by: name, direction: 'desc' }]
  const largest = await answer({ ...body, order, limit: 5 })
  expect(largest.points.map(read).toSorted((one, other) => Number(other) - Number(one))).toEqual(
    values.toReversed().slice(0, 5),
  )
  expect(largest.meta).toMatchObject({ points: { computed: all.length, shown: 5 } })
})

it('orders the points of every series, and the series by their first points', async () => {
  const { series } = await answer({ order: [{ by: 'metricValue' }] })
  expect(series.length).toBeGreaterThan(1)
  for (const points of series) {
    const values = points.map(({ metricValue }) => metricValue)
    expect(values).toEqual(values.toSorted((one, other) => one - other))
    expect(new Set(points.map(({ isp }) => isp)).size).toBe(1)
  }
  const first = series.map(([point]) => point?.metricValue ?? 0)
  expect(first).toEqual(first.toSorted((one, other) => one - other))
})

it('adjusts p-values for all comparisons, also those that it does not return', async () => {
  const {
    points: [first],
  } = await answer({})
  const body = { compare: { split: 'isp', base: first?.isp }, aggregation: 'total' }
  const { points: all, meta: whole } = await answer(body)
  const { points: few, meta } = await answer({ ...body, limit: 2 })
  expect(all.length).toBeGreaterThan(2)
  expect(few).toEqual(all.slice(0, 2))
  expect(meta['comparisons']).toEqual(whole['comparisons'])
})

it('names the numbers that the points have if a name is wrong, and refuses raw points and files', async () => {
  const wrong = await send('metric_data', { fields: ['metricValue'], having: [{ field: 'agentCount', above: 1 }] })
  expect(wrong.body).toMatchObject({
    code: 'VALIDATION_FAIL',
    errors: { 'having[0][field]': ['The value you selected is not a valid choice.'] },
    details: { 'having[0][field]': { choices: ['metricValue'] } },
  })
  const raw = await send('metric_data', { chartType: 'raw', order: [{ by: 'isp' }] })
  expect(raw.body).toMatchObject({ errors: { order: [expect.stringContaining('aggregate')] } })
  const file = await send('metric_data_download', { order: [{ by: 'isp' }], format: 'csv' })
  expect(file.body).toMatchObject({ errors: { order: ['Files cannot contain this; POST /metric_data can.'] } })
})
