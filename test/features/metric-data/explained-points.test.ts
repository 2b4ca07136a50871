import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
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
  await synthPanel(world, { agents: 40, days: 12, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-03-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

type Rule = { name: string; version: number; matched: number; alone: number }
type Point = Record<string, unknown> & {
  metricValue: number | null
  sampleCount: number
  prefilter: { before: number; removed: number; unfilteredValue: number; agentsLost: number; rules: Rule[] }
  coverage: Record<string, number> & { newestStored: string }
}

async function ask(request: Record<string, unknown>): Promise<{ data: Point[]; meta?: Record<string, unknown> }> {
  const answer = await call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: false,
      time: { from: '2026-03-04 00:00', to: '2026-03-14 23:59:59' },
      ...request,
    }),
  })
  expect(answer.body, JSON.stringify(answer.body).slice(0, 2_000)).toMatchObject({ code: 'OK' })
  const data = (answer.body['data'] as { metricData: Point[] }[]).flatMap(({ metricData }) => metricData)
  return { ...answer.body, data }
}

const numbersOf = ({ prefilter: _prefilter, coverage: _coverage, ...point }: Point): Record<string, unknown> => point

describe('the explained prefilter', () => {
  it.each([
    { metric: 'httpget', aggregation: 'daily', normalised: true },
    { metric: 'packetLoss', aggregation: 'day_of_week', normalised: true },
    { metric: 'latency', aggregation: 'weekly', splits: ['isp'] },
  ])('says what two requests, with and without the prefilter, say: %o', async (request) => {
    const explained = await ask({ ...request, prefilter: true, include: ['prefilter'] })
    const filtered = await ask({ ...request, prefilter: true })
    const unfiltered = await ask({ ...request, prefilter: false })
    expect(explained.data.map(numbersOf)).toEqual(filtered.data)
    expect(explained.data.map(({ prefilter }) => [prefilter.before, prefilter.unfilteredValue])).toEqual(
      unfiltered.data.map((point) => [point.sampleCount, expect.closeTo(point.metricValue ?? NaN, 9)]),
    )
    const removed = explained.data.map(({ prefilter }) => prefilter.removed)
    expect(removed).toEqual(
      unfiltered.data.map((point, index) => point.sampleCount - (filtered.data[index]?.sampleCount ?? NaN)),
    )
    expect(Math.max(...removed)).toBeGreaterThan(0)
    for (const { prefilter } of explained.data) {
      const sum = (name: 'matched' | 'alone') => prefilter.rules.reduce((all, rule) => all + rule[name], 0)
      expect(Math.max(0, ...prefilter.rules.map(({ matched }) => matched))).toBeLessThanOrEqual(prefilter.removed)
      expect(sum('matched')).toBeGreaterThanOrEqual(prefilter.removed)
      expect(sum('alone')).toBeLessThanOrEqual(prefilter.removed)
    }
    expect(explained.meta?.['prefilter']).toEqual(
      explained.data[0]?.prefilter.rules.map(({ name, version }) => ({ name, version, reason: expect.any(String) })),
    )
  })
})

const blocksOfSpeedTests = [0, 6, 12, 18, 20, 22]

type Result = { agent: string; day: number; hour: number; block: number }
type Hour = { day: number; hour: number }

const isoDay = (day: number): number => ((day + 3) % 7) + 1
const isPeak = ({ day, hour }: Hour): boolean => isoDay(day) <= 5 && hour >= 19 && hour <= 22

/** A request that keeps or divides hours of the week, and the series that these hours belong to: null if to none. */
type Clocked = { request: object; seriesOf: (at: Hour) => string | null }

describe('coverage', () => {
  let results: Result[]
  beforeAll(async () => {
    const raw = await ask({ metric: 'httpget', chartType: 'raw' })
    results = raw.data.map(({ agent, dtime }) => ({
      agent: String(agent),
      day: Date.parse(`${String(dtime).slice(0, 10)}T00:00:00Z`) / 86_400_000,
      hour: Number(String(dtime).slice(11, 13)),
      block: blocksOfSpeedTests.findLastIndex((start) => start <= Number(String(dtime).slice(11, 13))),
    }))
  })

  /** Counts coverage from the raw results, for the buckets that `bucketOf` names. */
  function counted(bucketOf: (day: number) => number) {
    const agents = Map.groupBy(results, ({ agent }) => agent)
    const days = [...agents.values()].map((own) => own.map(({ day }) => day))
    const ranges = days.map((own) => ({ first: Math.min(...own), last: Math.max(...own) }))
    return [...Map.groupBy(results, ({ day }) => bucketOf(day))]
      .toSorted(([one], [other]) => one - other)
      .map(([bucket, inBucket]) => {
        const expected = ranges.flatMap(({ first, last }) =>
          Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(
            (day) => bucketOf(day) === bucket,
          ),
        )
        const blocksSeen = new Set(inBucket.map(({ agent, day, block }) => `${agent} ${day} ${block}`)).size
        return {
          agentsOfRange: agents.size,
          agentsSeen: new Set(inBucket.map(({ agent }) => agent)).size,
          blocksSeen,
          blocksExpected: 6 * expected.length,
          share: blocksSeen / (6 * expected.length),
          // The panel was generated long after its results.
          lateShare: 1,
        }
      })
  }

  const clocked: [string, Clocked][] = [
    [
      'a window',
      {
        request: { window: { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] } },
        seriesOf: (at) => (isPeak(at) ? '[]' : null),
      },
    ],
    [
      'a window of days',
      {
        request: { window: { weekdays: [6, 3] } },
        seriesOf: ({ day }) => ([6, 3].includes(isoDay(day)) ? '[]' : null),
      },
    ],
    [
      'a split by peak',
      { request: { splits: ['peak'] }, seriesOf: (at) => JSON.stringify([isPeak(at) ? 'peak' : 'off_peak']) },
    ],
    [
      'a filter, and splits by day and hour',
      {
        request: {
          splits: ['day_of_week', 'hour_of_day'],
          filters: [{ id: 'peak', filterType: 'exclude', filterValues: ['peak'] }],
        },
        seriesOf: (at) => (isPeak(at) ? null : JSON.stringify([isoDay(at.day), at.hour])),
      },
    ],
  ]
  const buckets: [string, (at: Hour) => number][] = [
    ['six_hourly', ({ day, hour }) => day * 4 + Math.floor(hour / 6)],
    ['daily', ({ day }) => day],
    ['weekly', ({ day }) => day - isoDay(day)],
    ['monthly', () => 0],
    ['hour_of_day', ({ hour }) => hour],
    ['day_of_week', ({ day }) => isoDay(day)],
    ['day_of_month', ({ day }) => day],
    ['total', () => 0],
  ]

  /**
   * Counts the expected and the seen blocks of each series and bucket, hour by hour: a block is expected if one of its hours is
   * in the series.
   */
  function countedByHour(seriesOf: Clocked['seriesOf'], bucketOf: (at: Hour) => number): string[] {
    const kept = results.filter((one) => seriesOf(one) !== null)
    const blocks = new Map<string, { series: string; bucket: number; expected: Set<string>; seen: Set<string> }>()
    const pointOf = (series: string, bucket: number) => {
      const key = `${series} ${bucket}`
      const point = blocks.get(key) ?? { series, bucket, expected: new Set<string>(), seen: new Set<string>() }
      blocks.set(key, point)
      return point
    }
    for (const own of Map.groupBy(kept, (one) => `${one.agent} ${seriesOf(one)}`).values()) {
      const [{ agent, ...any } = { agent: '', day: 0, hour: 0 }] = own
      const series = seriesOf(any) ?? ''
      const days = own.map(({ day }) => day)
      for (let day = Math.min(...days); day <= Math.max(...days); day += 1)
        for (let hour = 0; hour < 24; hour += 1) {
          const block = blocksOfSpeedTests.findLastIndex((start) => start <= hour)
          const at = { day, hour }
          if (seriesOf(at) === series) pointOf(series, bucketOf(at)).expected.add(`${agent} ${day} ${block}`)
        }
      for (const one of own) pointOf(series, bucketOf(one)).seen.add(`${agent} ${one.day} ${one.block}`)
    }
    return [...blocks.values()]
      .filter(({ seen }) => seen.size > 0)
      .map(({ series, bucket, expected, seen }) => `${series} ${bucket}: ${seen.size} of ${expected.size}`)
  }

  it.each(
    clocked.flatMap(([name, one]) =>
      buckets.map(([aggregation, bucketOf]) => [name, aggregation, one, bucketOf] as const),
    ),
  )(
    'of %s, %s, counts only the blocks that it can contain',
    async (_name, aggregation, { request, seriesOf }, bucketOf) => {
      const asked = { metric: 'httpget', aggregation, fields: ['sampleCount'], include: ['coverage'], ...request }
      const { data } = await ask(asked)
      const splits = (request as { splits?: string[] }).splits ?? []
      const shown = data.map((point) => {
        const { coverage, dtime } = point
        const day = Date.parse(`${String(dtime).slice(0, 10)}T00:00:00Z`) / 86_400_000
        const number = Number(point['aggregatedNumber'])
        const places: Record<string, number> = {
          six_hourly: day * 4 + Number(String(dtime).slice(11, 13)) / 6,
          daily: day,
          weekly: day - 1,
          monthly: 0,
          hour_of_day: number,
          day_of_week: number,
          day_of_month: Date.parse(`2026-03-${String(number).padStart(2, '0')}T00:00:00Z`) / 86_400_000,
          total: 0,
        }
        const series = JSON.stringify(splits.map((id) => point[id]))
        return `${series} ${places[aggregation]}: ${coverage['blocksSeen']} of ${coverage['blocksExpected']}`
      })
      expect(shown.toSorted()).toEqual(countedByHour(seriesOf, bucketOf).toSorted())
      expect(shown.length).toBeGreaterThan(0)
    },
  )

  it.each<[string, (day: number) => number]>([
    ['daily', (day) => day],
    ['weekly', (day) => day - isoDay(day)],
    ['day_of_week', isoDay],
    ['total', () => 0],
  ])('%s, is that of the raw results', async (aggregation, bucketOf) => {
    const { data, meta } = await ask({ metric: 'httpget', aggregation, fields: ['sampleCount'], include: ['coverage'] })
    expect(data.map(({ coverage }) => coverage)).toEqual(counted(bucketOf).map((one) => expect.objectContaining(one)))
    expect(data.some(({ coverage }) => (coverage['share'] ?? 1) < 1)).toBe(true)
    expect(meta?.['coverage']).toMatch(/^An agent is expected/)
  })
})

// This test stores results, so it is the last one of the file.
it('answers for a point of which two rules remove every result, without a comparison', async () => {
  const { data } = await ask({ metric: 'httpget', chartType: 'raw', prefilter: true })
  const agent = String(data[0]?.['agent'])
  const removed = { agent, dtime: '2026-03-20 12:00:00.000' }
  await storeFacts(world, 'httpget', [
    { ...removed, bytes_sec: 0, warmup_time: 1 },
    { ...removed, bytes_sec: 3_000_000, warmup_time: 0 },
  ])
  const explained = await ask({
    metric: 'httpget',
    aggregation: 'total',
    prefilter: true,
    include: ['prefilter'],
    filters: [{ id: 'agent', filterType: 'include', filterValues: [agent] }],
    time: { from: '2026-03-20', to: '2026-03-20' },
    compare: { time: { from: '2026-03-04', to: '2026-03-08' }, match: 'agents' },
  })
  expect(explained.data).toMatchObject([{ sampleCount: 0, prefilter: { before: 2, removed: 2 }, comparison: null }])
})
