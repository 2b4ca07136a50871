import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

type Point = Record<string, unknown> & { sampleCount: number; metricValue: number | null }

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['httpget']
  await synthPanel(world, { agents: 6, days: 20, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

// The range begins and ends within a week, a month and an hour.
const range = { from: '2026-01-20 18:30:00', to: '2026-02-18 20:10:00' }
const first = Date.parse('2026-01-20T18:30:00Z') / 1000
const last = Date.parse('2026-02-18T20:10:00Z') / 1000

const request = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  time: range,
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
  expect(status, text.slice(0, 500)).toBe(200)
  return (found['data'] as { metricData: Point[] }[]).map(({ metricData }) => metricData)
}

const text = (second: number) => new Date(second * 1000).toISOString().slice(0, 19)
const dayOf = (second: number) => Math.floor(second / 86_400)

/** The bucket of a local second, in the words of the documentation. */
function bucketOf(aggregation: string, second: number): string | number {
  const date = new Date(second * 1000)
  const weekday = ((date.getUTCDay() + 6) % 7) + 1
  const hours = { hourly: 1, two_hourly: 2, four_hourly: 4, six_hourly: 6 }[aggregation]
  if (hours !== undefined) return text(Math.floor(second / 3600 / hours) * 3600 * hours)
  if (aggregation === 'daily') return text(second).slice(0, 10)
  if (aggregation === 'weekly') return text((dayOf(second) - weekday + 1) * 86_400).slice(0, 10)
  if (aggregation === 'monthly') return `${text(second).slice(0, 7)}-01`
  if (aggregation === 'quarterly') return `2026-${['01', '04', '07', '10'][Math.floor(date.getUTCMonth() / 3)]}-01`
  if (aggregation === 'hour_of_day') return date.getUTCHours()
  return aggregation === 'day_of_week' ? weekday : date.getUTCDate()
}

type When = (hour: number, weekday: number) => boolean

/** The buckets that contain a moment of the range that meets the condition, in their order. */
function bucketsOf(aggregation: string, when: When): (string | number)[] {
  const found = new Set<string | number>()
  // Every bucket begins at a full hour, and the range at half past.
  for (let second = first; second <= last; second += 600) {
    const date = new Date(second * 1000)
    if (when(date.getUTCHours(), ((date.getUTCDay() + 6) % 7) + 1)) found.add(bucketOf(aggregation, second))
  }
  return [...found].toSorted((one, other) => (one < other ? -1 : 1))
}

const labelOf = (point: Point) => (point['dtime'] ?? point['aggregatedNumber']) as string | number

/** Checks that the answer adds points without results to the answer without `emptyBuckets`, and none is missing. */
async function checkAdded(aggregation: string, body: object, when: (series: Point[]) => When = () => always) {
  const before = await series({ aggregation, ...body })
  const after = await series({ aggregation, ...body, emptyBuckets: true })
  const found = new Set(before.flat().map((point) => keyOf(point, body)))
  const isEmpty = (point: Point) => !found.has(keyOf(point, body))
  expect(after.map((points) => points.filter((point) => !isEmpty(point)))).toEqual(before)
  const expected = new Map<When, (string | number)[]>()
  for (const points of after) {
    const condition = when(points)
    if (!expected.has(condition)) expected.set(condition, bucketsOf(aggregation, condition))
    expect(points.map(labelOf)).toEqual(expected.get(condition))
    for (const point of points.filter(isEmpty)) {
      expect(point).toMatchObject({ sampleCount: 0, metricValue: null })
      expect(point).not.toHaveProperty('caution')
    }
  }
  return { before: before.flat(), after: after.flat(), empty: after.flat().filter(isEmpty) }
}

const keyOf = (point: Point, body: object): string =>
  JSON.stringify([labelOf(point), ...((body as { splits?: string[] }).splits ?? []).map((name) => point[name])])

const always: When = () => true

const chronological = ['hourly', 'two_hourly', 'four_hourly', 'six_hourly', 'daily', 'weekly', 'monthly', 'quarterly']
const elements = ['hour_of_day', 'day_of_week', 'day_of_month']

describe.each([...chronological, ...elements])('%s', (aggregation) => {
  it('has a point for every bucket of the range in each series', async () => {
    const { empty, before } = await checkAdded(aggregation, { splits: ['agent'] })
    expect(before.length).toBeGreaterThan(0)
    if (chronological.slice(0, 5).includes(aggregation)) expect(empty.length).toBeGreaterThan(20)
  })

  it('has only buckets that a window overlaps', async () => {
    const window = { weekdays: [2, 4, 6], hours: [3, 18, 19] }
    const isInside: When = (hour, weekday) => [2, 4, 6].includes(weekday) && [3, 18, 19].includes(hour)
    const { after } = await checkAdded(aggregation, { window }, () => isInside)
    expect(after.length).toBeGreaterThan(0)
  })

  it('has only buckets that the series of a split and a filter by local time overlap', async () => {
    const splits = ['day_of_week', 'agent', 'peak']
    const filters = [{ id: 'hour_of_day', filterType: 'include', filterValues: ['20', '3', '9'] }]
    const { after } = await checkAdded(aggregation, { splits, filters }, ([point]) => (hour, weekday) => {
      const isPeak = weekday <= 5 && hour >= 19 && hour <= 22
      return [20, 3, 9].includes(hour) && weekday === point?.['day_of_week'] && isPeak === (point['peak'] === 'peak')
    })
    expect(after.length).toBeGreaterThan(0)
  })
})

it.each<[string, object]>([
  ['normalised', { normalised: true }],
  ['uncertainty', { include: ['uncertainty'] }],
  ['normalised uncertainty', { normalised: true, include: ['uncertainty'] }],
  ['a sketch', { percentiles: 'sketch' }],
  ['normalised sketch', { percentiles: 'sketch', normalised: true, intervals: 'results' }],
  ['no percentiles', { percentiles: 'none' }],
  ['results', { intervals: 'results' }],
  ['the prefilter', { include: ['prefilter'] }],
  ['coverage', { include: ['coverage'] }],
  ['everything included', { include: ['prefilter', 'coverage', 'uncertainty', 'meta'] }],
  ['a ratio', { metric: 'httpget_retrans' }],
  ['agents', { perAgent: { statistic: 'median' }, reaching: { atLeast: 30 }, include: ['uncertainty'] }],
  ['agents with enough results', { perAgent: { statistic: 'mean', minimumResults: 13 } }],
  ['histogram', { histogram: { edges: [10, 30, 100] } }],
  ['logarithmic histogram', { histogram: { bins: 'log' } }],
  ['histogram of agents', { perAgent: { statistic: 'mean' }, histogram: { edges: [10, 30, 100] } }],
  ['the plan', { relativeTo: 'plan' }],
  ['the plan, explained', { relativeTo: 'plan', include: ['prefilter', 'coverage'] }],
  ['filters of a base', { compare: { filters: [{ id: 'hour_of_day', filterType: 'include', filterValues: ['3'] }] } }],
  ['another period', { compare: { time: { from: '2026-01-13 18:30:00', to: '2026-02-11 20:10:00' } } }],
  [
    'matched agents',
    { compare: { time: { from: '2026-01-13 18:30:00', to: '2026-02-11 20:10:00' }, match: 'agents' } },
  ],
])('changes no other point: %s', async (_, body) => {
  for (const aggregation of ['daily', 'day_of_month']) {
    const { before, empty } = await checkAdded(aggregation, { splits: ['isp'], ...body })
    expect(before.length).toBeGreaterThan(0)
    if (aggregation === 'daily') expect(empty.length).toBeGreaterThan(3)
  }
})

const oneDay = { from: '2026-02-15', to: '2026-02-18' }

it('says what each agent should have measured in an empty bucket, and that it is gone', async () => {
  const all = await series({ time: oneDay, include: ['coverage'], emptyBuckets: true })
  const [[total] = []] = await series({ time: oneDay, aggregation: 'total' })
  const agents = total?.['agentCount']
  expect(agents).toBeGreaterThan(0)
  expect(all.flat().at(-1)).toMatchObject({
    dtime: '2026-02-18',
    sampleCount: 0,
    agentCount: 0,
    percentiles: null,
    coverage: {
      agentsOfRange: agents,
      agentsSeen: 0,
      agentsGone: agents,
      blocksSeen: 0,
      blocksExpected: 0,
      share: null,
    },
  })
  const gap = { filters: [{ id: 'day_of_week', filterType: 'exclude', filterValues: ['3'] }] }
  const hours = await series({
    aggregation: 'hourly',
    time: { from: '2026-02-09', to: '2026-02-12' },
    include: ['coverage'],
    splits: ['agent'],
    emptyBuckets: true,
    ...gap,
  })
  const inside = hours
    .flat()
    .filter(
      ({ sampleCount, coverage }) => sampleCount === 0 && (coverage as { blocksExpected: number }).blocksExpected > 0,
    )
  expect(inside.length).toBeGreaterThan(10)
  for (const { coverage } of inside)
    expect(coverage).toMatchObject({ blocksSeen: 0, blocksExpected: 1, share: 0, lateShare: null })
})

it('marks periods that are not whole or have not ended as partial, also without results', async () => {
  const [points] = await series({ emptyBuckets: true, time: { from: '2026-02-15 12:00', to: 'now' } })
  expect(points?.[0]).toHaveProperty('partial', true)
  expect(points?.[1]).not.toHaveProperty('partial')
  expect(points?.at(-1)).toMatchObject({ sampleCount: 0, partial: true })
})

it('does not add series: the response without results has no points', async () => {
  const nowhere = [{ id: 'agent', filterType: 'include', filterValues: ['none'] }]
  for (const splits of [[], ['isp']]) {
    expect(await series({ splits, filters: nowhere, emptyBuckets: true })).toEqual([[]])
  }
})

it('selects empty buckets by their counts, and puts their missing values last', async () => {
  const body = { splits: ['agent'], aggregation: 'six_hourly', emptyBuckets: true, time: oneDay }
  const all = (await series(body)).flat()
  const none = await series({ ...body, having: [{ field: 'sampleCount', atMost: 0 }] })
  expect(none.flat()).toEqual(all.filter(({ sampleCount }) => sampleCount === 0))
  const some = await series({ ...body, having: [{ field: 'metricValue', above: 0 }] })
  expect(some.flat()).toEqual(all.filter(({ sampleCount }) => sampleCount > 0))
  const ordered = await series({ ...body, order: [{ by: 'metricValue', direction: 'desc' }], limit: all.length })
  expect(ordered.flatMap((points) => points.slice(-1)).every(({ metricValue }) => metricValue === null)).toBe(true)
})

it('adds the same points in every format', async () => {
  const body = {
    splits: ['isp'],
    emptyBuckets: true,
    aggregation: 'six_hourly',
    time: oneDay,
    fields: ['metricValue', 'sampleCount'],
  }
  const points = (await series(body)).flat()
  const response = await fetch(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, ...body, format: 'csv' }),
  })
  const csv = await response.text()
  const rows = csv.trim().split('\r\n').slice(1)
  expect(rows.filter((row) => row.includes(',,0,')).length).toBe(
    points.filter(({ sampleCount }) => sampleCount === 0).length,
  )
  expect(rows.length).toBe(points.length)
})

it('refuses raw points, totals and more buckets than a response may have points', async () => {
  const refused = (body: object) => send({ emptyBuckets: true, ...body })
  const choice = ['The value you selected is not a valid choice.']
  expect((await refused({ chartType: 'raw' })).body).toMatchObject({ errors: { emptyBuckets: choice } })
  expect((await refused({ aggregation: 'total' })).body).toMatchObject({ errors: { emptyBuckets: choice } })
  expect((await refused({ emptyBuckets: 1 })).body).toMatchObject({ errors: { emptyBuckets: [expect.any(String)] } })
  const century = { from: '2006-01-01', to: '2026-02-18' }
  const tooMany = await refused({ aggregation: 'hourly', time: century })
  expect(tooMany.body).toMatchObject({ code: 'QUERY_TOO_LARGE', message: expect.stringContaining('100,000 points') })
  const wide = await refused({ aggregation: 'hourly', time: { ...century, from: '1970-01-01' }, splits: ['agent'] })
  expect(wide.body).toMatchObject({ code: 'QUERY_TOO_LARGE', message: expect.stringContaining('empty buckets') })
})
