import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

type Point = Record<string, unknown> & { sampleCount: number }

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['httpget']
  await synthPanel(world, { agents: 40, days: 6, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const request = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  splits: ['isp'],
  time: { from: '2026-02-10', to: '2026-02-15' },
}

const send = (body: object, path = 'metric_data'): Promise<Answer> =>
  call(`${service.addresses.api}/${path}`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, ...body }),
  })

async function series(body: object): Promise<Point[][]> {
  const { status, body: found, text } = await send(body)
  expect(status, text.slice(0, 800)).toBe(200)
  return (found['data'] as { metricData: Point[] }[]).map(({ metricData }) => metricData)
}

type Top = { n: number; by?: string; direction?: string; others?: boolean }
type Body = { splits?: string[]; filters?: object[]; compare?: { filters?: object[]; time?: object } } & Record<
  string,
  unknown
>

/** p-values are adjusted for the number of comparisons of the response, which is another one with `top`. */
const unadjusted = (points: Point[]) =>
  points.map(({ comparison, ...point }) => {
    if (comparison === undefined || comparison === null) return { ...point, comparison }
    const { pAdjusted: _p, verdict: _v, better: _b, ...rest } = comparison as Record<string, unknown>
    return { ...point, comparison: rest }
  })

const numberAt = (point: Point | undefined, by: string): number | null => {
  const [name = '', level] = by.split(/\.(.*)/)
  const value = point?.[name] as Record<string, number> | number | null
  return level === undefined ? (value as number | null) : ((value as Record<string, number>)[level] ?? null)
}

const filterOf = (point: Point, id: string): object =>
  point[id] === null ? { id, filterType: 'is_missing' } : { id, filterType: 'include', filterValues: [point[id]] }

/** Compares a response with `top` with requests that do not have it: for all series, for totals, and for the rest. */
async function checkTop({ n, by = 'metricValue', direction = 'desc', others = true }: Top, body: Body) {
  const splits = body.splits ?? request.splits
  const all = await series(body)
  // Only the value by which series are ranked has to be a total.
  const { compare: _c, emptyBuckets: _e, include: _i, ...rest } = body
  const totals = (await series({ ...rest, aggregation: 'total' })).flat()
  const sign = direction === 'desc' ? -1 : 1
  const ranked = totals.toSorted((one, other) => sign * ((numberAt(one, by) ?? 0) - (numberAt(other, by) ?? 0)))
  const keyOf = (point: Point | undefined) => JSON.stringify(splits.map((id) => point?.[id]))
  const expected = ranked.slice(0, n).map((point) => all.find(([first]) => keyOf(first) === keyOf(point)) ?? [])

  const found = await series({ ...body, top: { n, by, direction, others } })
  expect(found.slice(0, n).map(unadjusted)).toEqual(expected.map(unadjusted))
  expect(found.length).toBe(Math.min(all.length, n + Number(others)))
  if (!others || all.length <= n) return found

  const not = { not: { any: ranked.slice(0, n).map((point) => ({ all: splits.map((id) => filterOf(point, id)) })) } }
  const base =
    body.compare?.filters === undefined ? {} : { compare: { ...body.compare, filters: [...body.compare.filters, not] } }
  const [pooled] = await series({ ...body, ...base, splits: [], filters: [...(body.filters ?? []), not] })
  const last = found.at(-1) ?? []
  const missing = Object.fromEntries(splits.map((id) => [id, null]))
  expect(unadjusted(last)).toEqual(unadjusted(pooled ?? []).map((point) => ({ ...point, ...missing, other: true })))

  // `perAgent` leaves out agents with few results, which can have more of them in the pooled series.
  if (body['perAgent'] !== undefined) return found
  const [whole] = await series({ ...body, splits: [] })
  const bucketOf = (point: Point) => point['dtime'] ?? point['aggregatedNumber']
  const sumOf = (points: readonly Point[]) =>
    points.reduce((sum, point) => sum + Number(point['metricValue']) * point.sampleCount, 0)
  const addsUp = body['normalised'] !== true && body['metric'] === undefined
  for (const point of whole ?? []) {
    const inBucket = found.flat().filter((one) => bucketOf(one) === bucketOf(point))
    expect(inBucket.reduce((sum, { sampleCount }) => sum + sampleCount, 0)).toBe(point.sampleCount)
    if (addsUp) expect(sumOf(inBucket) / sumOf([point])).toBeCloseTo(1, 12)
  }
  return found
}

it.each<[string, Top, Body]>([
  ['the largest values', { n: 3 }, {}],
  ['the smallest values', { n: 2, direction: 'asc' }, {}],
  ['counts', { n: 2, by: 'sampleCount' }, {}],
  ['a percentile', { n: 2, by: 'percentiles.95' }, { percentileLevels: [2.5, 95] }],
  ['the median', { n: 2, by: 'median' }, { percentiles: 'sketch' }],
  ['an interval', { n: 2, by: 'ci95' }, {}],
  ['only the first series', { n: 2, others: false }, {}],
  ['as many series as there are', { n: 1000 }, {}],
  ['two splits with missing values', { n: 4, by: 'agentCount' }, { splits: ['base', 'country'] }],
  ['agents', { n: 3, by: 'max' }, { splits: ['agent'] }],
  ['servers, in which agents are several times', { n: 1 }, { splits: ['target'] }],
  ['a split by local time', { n: 1 }, { splits: ['peak', 'isp'] }],
  [
    'a split by local time without others',
    { n: 2, others: false },
    { splits: ['peak'], normalised: true, include: ['coverage'] },
  ],
  ['normalised', { n: 2 }, { normalised: true }],
  ['hours', { n: 2 }, { aggregation: 'four_hourly', normalised: true }],
  ['hours of the day', { n: 2 }, { aggregation: 'hour_of_day' }],
  ['totals', { n: 2 }, { aggregation: 'total' }],
  ['uncertainty', { n: 2 }, { include: ['uncertainty', 'coverage', 'meta'] }],
  ['the prefilter', { n: 2 }, { include: ['prefilter', 'coverage'] }],
  ['a histogram', { n: 2 }, { histogram: { edges: [10, 30, 100] } }],
  ['points about agents', { n: 2 }, { perAgent: { statistic: 'median' }, reaching: { atLeast: 30 } }],
  [
    'points about agents, by a percentile',
    { n: 2, by: 'percentiles.20' },
    { perAgent: { statistic: 'mean' }, normalised: true },
  ],
  ['the plan', { n: 2 }, { relativeTo: 'plan' }],
  ['the package', { n: 3 }, { splits: ['package'], relativeTo: 'plan', perAgent: { statistic: 'mean' } }],
  ['a ratio', { n: 2 }, { metric: 'httpget_retrans' }],
  ['a window', { n: 2 }, { window: { hours: [3, 4, 19] } }],
  ['another period', { n: 2 }, { compare: { time: { from: '2026-02-08', to: '2026-02-13' } } }],
  [
    'filters of a base',
    { n: 2 },
    { compare: { filters: [{ id: 'hour_of_day', filterType: 'include', filterValues: ['3'] }] } },
  ],
  [
    'empty buckets',
    { n: 2, by: 'sampleCount', direction: 'asc' },
    { splits: ['agent'], emptyBuckets: true, aggregation: 'six_hourly', include: ['coverage'] },
  ],
])('ranks series by their totals, and pools the results of the others: %s', async (_, top, body) => {
  const found = await checkTop(top, body)
  expect(found.length).toBeGreaterThan(0)
})

it('ranks equal series by their split values', async () => {
  const all = await series({ splits: ['agent'], aggregation: 'total', fields: ['agentCount'] })
  const found = await series({
    splits: ['agent'],
    aggregation: 'total',
    fields: ['agentCount'],
    top: { n: 5, by: 'agentCount', others: false },
  })
  expect(found).toEqual(all.slice(0, 5))
})

it('distinguishes the other series from a series whose split has no value', async () => {
  const found = await series({ splits: ['package'], aggregation: 'total', top: { n: 1000 } })
  const missing = found.findIndex(([point]) => point?.['package'] === null)
  const top = { n: missing + 1 }
  if (missing === -1 || missing + 1 === found.length) return
  const both = await series({ splits: ['package'], aggregation: 'total', top })
  expect(both.filter(([point]) => point?.['package'] === null).map(([point]) => point?.['other'])).toEqual([
    undefined,
    true,
  ])
})

it('has a column for the other series in flat formats', async () => {
  const response = await fetch(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...request,
      fields: ['sampleCount'],
      aggregation: 'total',
      top: { n: 1, by: 'sampleCount' },
      format: 'csv',
    }),
  })
  const lines = (await response.text()).trim().split('\r\n')
  expect(lines[0]).toBe('"sampleCount","isp","other"')
  expect(lines[1]).toMatch(/^\d+,".+",false$/)
  expect(lines[2]).toMatch(/^\d+,,true$/)
})

it('returns no series if there are no results', async () => {
  const filters = [{ id: 'agent', filterType: 'include', filterValues: ['none'] }]
  for (const splits of [['isp'], ['isp', 'base']])
    expect(await series({ splits, filters, top: { n: 2 } })).toEqual([[]])
})

it('refuses what has no series, and what depends on hours of series that only the query knows', async () => {
  const errors = async (body: object) => (await send(body)).body['errors']
  expect(await errors({ chartType: 'raw', top: { n: 1 } })).toMatchObject({
    top: [expect.stringContaining('aggregate')],
  })
  expect(await errors({ splits: [], top: { n: 1 } })).toMatchObject({ top: [expect.stringContaining('splits')] })
  expect(await errors({ top: { n: 1, by: 'isp' } })).toHaveProperty('top[by]')
  expect(await errors({ fields: ['median'], top: { n: 1 } })).toHaveProperty('top[by]')
  expect(await errors({ splits: ['peak'], normalised: true, top: { n: 1 } })).toHaveProperty('top[others]')
  const compare = { split: 'isp', base: 'Northnet' }
  expect(await errors({ compare, top: { n: 1 } })).toMatchObject({ top: [expect.stringContaining('compares')] })
})
