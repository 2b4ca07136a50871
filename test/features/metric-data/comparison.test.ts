import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { holm, twoSidedTail, tWithTail } from '../../../src/envelope/t-distribution.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

/** Debian's package of numpy belongs to Debian's Python. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

type Row = { agent_id: string; dtime: string } & Record<string, number | null>
type Result = { agent: string; at: string; hour: number; y: number; x: number }
type Numbers = Record<string, number>
type Point = { dtime?: string; metricValue: number; comparison: Numbers | null } & Record<string, unknown>
type Asked = { base: Result[]; own: Result[]; blocks: number[]; perAgent: 'mean' | number | null; match: boolean }

let world: World
let service: Service
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  // In winter, the local time of the panel is UTC.
  const tests = ['httpget', 'latency']
  await synthPanel(world, { agents: 30, days: 4, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const post = (path: string, body: unknown): Promise<Answer> =>
  call(`${service.addresses.api}/${path}`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function resultsOf(metric: 'httpget' | 'packetLoss'): Promise<Result[]> {
  const test = metric === 'httpget' ? 'httpget' : 'latency'
  const { body } = await post('test_data', { test, date: { from: '2026-02-12', to: '2026-02-15' } })
  return (body['data'] as Row[])
    .filter(({ successes }) => metric === 'packetLoss' || Number(successes) > 0)
    .map((row) => ({
      agent: row.agent_id,
      at: row.dtime.slice(0, 10),
      hour: Number(row.dtime.slice(11, 13)),
      ...(metric === 'httpget'
        ? { y: (Number(row['bytes_sec']) * 8) / 1e6, x: 1 }
        : { y: 100 * Number(row['failures']), x: Number(row['successes']) + Number(row['failures']) }),
    }))
}

async function compared(request: object): Promise<{ points: Point[]; meta: Record<string, unknown> }> {
  const { body, text } = await post('metric_data', {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: false,
    percentiles: 'none',
    time: { from: '2026-02-14', to: '2026-02-15' },
    ...request,
  })
  expect(body, text.slice(0, 500)).toMatchObject({ code: 'OK' })
  const series = body['data'] as { metricData: Point[] }[]
  return { points: series.flatMap(({ metricData }) => metricData), meta: body['meta'] as Record<string, unknown> }
}

const numpy = (asked: readonly Asked[]): Numbers[] =>
  JSON.parse(
    execFileSync(python, [`${import.meta.dirname}/comparison.py`], { input: JSON.stringify(asked), encoding: 'utf8' }),
  ) as Numbers[]

const near = (actual: unknown, expected: number): void =>
  expect(Math.abs(Number(actual) - expected), `${String(actual)} ${expected}`).toBeLessThanOrEqual(
    1e-9 * Math.abs(expected),
  )

function expectComparisons(points: readonly Point[], expected: readonly Numbers[]): void {
  const quantile = tWithTail(0.05)
  const pValues = expected.map(({ difference = NaN, standardError = NaN, degreesOfFreedom = NaN }) =>
    twoSidedTail(difference / standardError, degreesOfFreedom),
  )
  const adjusted = holm(pValues)
  expect(points).toHaveLength(expected.length)
  for (const [index, { comparison }] of points.entries()) {
    const { ratioError = NaN, value: _, ...numbers } = expected[index] ?? {}
    const { standardError = NaN, difference = NaN, degreesOfFreedom = NaN, ratio = NaN } = numbers
    for (const [name, number] of Object.entries(numbers)) near(comparison?.[name], number)
    const t = quantile(degreesOfFreedom)
    near(comparison?.['low'], difference - t * standardError)
    near(comparison?.['high'], difference + t * standardError)
    near(comparison?.['ratioLow'], ratio * Math.exp(-t * ratioError))
    near(comparison?.['ratioHigh'], ratio * Math.exp(t * ratioError))
    near(comparison?.['pValue'], pValues[index] ?? NaN)
    near(comparison?.['pAdjusted'], adjusted[index] ?? NaN)
    const isDistinguished = (adjusted[index] ?? NaN) < 0.05
    const verdict = difference > 0 ? 'higher' : 'lower'
    expect(comparison?.['verdict']).toBe(isDistinguished ? verdict : 'not_distinguishable')
  }
}

const wholeDay = [0, 24]
const blocks = { httpget: [0, 6, 12, 18, 20, 22, 24], packetLoss: Array.from({ length: 25 }, (_, hour) => hour) }
const days = (...listed: number[]) => {
  const dates = listed.map((day) => `2026-02-${day}`)
  return ({ at }: Result): boolean => dates.includes(at)
}

const kinds: [string, object, Pick<Asked, 'perAgent' | 'match'> & { normalised: boolean }][] = [
  ['results', {}, { perAgent: null, match: false, normalised: false }],
  ['matched agents', { match: 'agents' }, { perAgent: null, match: true, normalised: false }],
  ['normalised', {}, { perAgent: null, match: false, normalised: true }],
  ['means of matched agents', { match: 'agents' }, { perAgent: 'mean', match: true, normalised: false }],
]

for (const metric of ['httpget', 'packetLoss'] as const) {
  it.each(kinds)(`compares ${metric} with the previous days as numpy does: %s`, async (_, more, kind) => {
    const results = await resultsOf(metric)
    const sides = (own: number[], base: number[]): Asked => ({
      ...kind,
      own: results.filter(days(...own)),
      base: results.filter(days(...base)),
      blocks: kind.normalised ? blocks[metric] : wholeDay,
    })
    const { normalised } = kind
    const [about, include] =
      kind.perAgent === null
        ? [{}, ['uncertainty', 'coverage']]
        : [{ perAgent: { statistic: 'mean' } }, ['uncertainty']]
    const ask = async (request: object) =>
      (await compared({ metric, normalised, compare: { previous: true, ...more }, ...about, ...request })).points
    expectComparisons(await ask({}), numpy([sides([14, 15], [12, 13])]))
    const daily = await ask({ aggregation: 'daily', include })
    expectComparisons(daily, numpy([sides([14], [12]), sides([15], [13])]))
  })
}

/** Agents of the panel, and three pairs of groups of them: with none, some and all of the agents in both. */
async function groups(): Promise<{ results: Result[]; all: string[]; pairs: [string[], string[]][] }> {
  const results = (await resultsOf('httpget')).filter(days(14, 15))
  const all = [...new Set(results.map(({ agent }) => agent))].toSorted()
  const [first, second, third] = [all.slice(0, 10), all.slice(10, 20), all.slice(20)]
  return {
    results,
    all,
    pairs: [
      [first, second],
      [
        [...first, ...second],
        [...second, ...third],
      ],
      [all, all],
    ],
  }
}
const of = (agents: readonly string[]) => [{ id: 'agent', filterType: 'include', filterValues: agents }]

it.each<[string, object, Pick<Asked, 'perAgent' | 'match'>]>([
  ['results', {}, { perAgent: null, match: false }],
  ['means of agents', { perAgent: { statistic: 'mean' } }, { perAgent: 'mean', match: false }],
  [
    'percentiles of matched agents',
    { perAgent: { statistic: 'percentile', level: 20 }, compare: { match: 'agents' } },
    { perAgent: 20, match: true },
  ],
])('compares two groups of agents, some of which are in both, as numpy does: %s', async (_, more, kind) => {
  const { results, pairs } = await groups()
  for (const [index, [own, base]] of pairs.entries()) {
    const sides = [own, base].map((group) => results.filter(({ agent }) => group.includes(agent)))
    const { compare = {} } = more as { compare?: object }
    const { points, meta } = await compared({ ...more, filters: of(own), compare: { ...compare, filters: of(base) } })
    // The same results of the same agents are on both sides.
    if (index === 2 || (index === 1 && kind.match))
      expect(points[0]?.comparison).toMatchObject({ difference: 0, verdict: 'not_distinguishable' })
    else if (index === 0 && kind.match) expect(points[0]?.comparison).toBeNull()
    else {
      expectComparisons(points, numpy([{ ...kind, own: sides[0] ?? [], base: sides[1] ?? [], blocks: wholeDay }]))
      expect(meta).toMatchObject({ comparisons: { number: 1, adjustment: 'holm', alpha: 0.05 } })
    }
  }
})

it('compares each series of a split with one of them', async () => {
  const results = (await resultsOf('httpget')).filter(days(14, 15))
  const window = { hours: [18, 19, 20, 21, 22, 23] }
  const isPeak = ({ hour }: Result) => hour >= 18
  const request = { splits: ['peak'], window, compare: { split: 'peak', base: 'off_peak' } }
  const { points } = await compared(request)
  const [offPeak, peak] = ['off_peak', 'peak'].map((value) => points.filter((point) => point['peak'] === value))
  expect(offPeak).toMatchObject([{ comparison: null }])
  const sides = { own: results.filter(isPeak), base: results.filter((one) => !isPeak(one)) }
  const asked = { ...sides, blocks: wholeDay, perAgent: null, match: false } as const
  expectComparisons(peak ?? [], numpy([asked]))
  // The same two groups as filters.
  const filters = (value: string) => [{ id: 'peak', filterType: 'include', filterValues: [value] }]
  const filtered = await compared({ window, filters: filters('peak'), compare: { filters: filters('off_peak') } })
  expectComparisons(filtered.points, numpy([asked]))
})

it('compares with a range that overlaps that of the request', async () => {
  const results = await resultsOf('httpget')
  const time = { from: '2026-02-12', to: '2026-02-14 23:59:59' }
  const { points, meta } = await compared({ compare: { time, alpha: 0.05 } })
  const sides = { own: results.filter(days(14, 15)), base: results.filter(days(12, 13, 14)) }
  expectComparisons(points, numpy([{ ...sides, blocks: wholeDay, perAgent: null, match: false }]))
  expect(meta).toMatchObject({ comparisons: { time: { from: '2026-02-12T00:00:00', to: '2026-02-14T23:59:59' } } })
})

it('says no more than the difference if a side has one agent, and nothing if it has none', async () => {
  const { all } = await groups()
  const [first = '', second = ''] = all
  const request = { splits: ['agent'], filters: of([first, second]), compare: { split: 'agent', base: first } }
  const { points, meta } = await compared(request)
  expect(points.map((point) => [point['agent'], point.comparison])).toEqual([
    [first, null],
    [
      second,
      {
        base: points[0]?.metricValue,
        baseAgents: 1,
        sharedAgents: 0,
        difference: (points[1]?.metricValue ?? NaN) - (points[0]?.metricValue ?? NaN),
        standardError: null,
        low: null,
        high: null,
        ratio: null,
        ratioLow: null,
        ratioHigh: null,
        degreesOfFreedom: null,
        pValue: null,
        pAdjusted: null,
        verdict: 'not_distinguishable',
        better: null,
      },
    ],
  ])
  expect(meta).toMatchObject({ comparisons: { number: 0 } })
  const absent = await compared({ compare: { time: { from: '2025-02-12', to: '2025-02-13' } } })
  expect(absent.points).toMatchObject([{ comparison: null }])
})

it('leaves the points as they are without the comparison', async () => {
  const requests = [
    { include: ['uncertainty', 'coverage'], percentiles: 'exact', aggregation: 'daily', splits: ['isp'] },
    { include: ['prefilter', 'coverage'], prefilter: true, aggregation: 'hour_of_day', relativeTo: 'plan' },
    { normalised: true, perAgent: { statistic: 'median' }, include: ['uncertainty'], aggregation: 'hour_of_day' },
    { percentiles: 'sketch', intervals: 'results', fields: ['metricValue', 'ci95', 'median'], aggregation: 'daily' },
  ]
  for (const request of requests) {
    const plain = (await compared({ ...request, include: request.include ?? ['uncertainty'] })).points
    for (const compare of [
      { previous: true },
      { filters: [], marginPercent: 5 },
      { filters: [], match: 'agents' },
      ...('splits' in request ? [{ split: 'isp', base: String(plain[0]?.['isp']), margin: 1 }] : []),
    ]) {
      const { points } = await compared({ ...request, include: request.include ?? ['uncertainty'], compare })
      expect(points.map((point) => ({ ...point, comparison: undefined }))).toEqual(plain)
      expect(points.some(({ comparison }) => comparison !== null)).toBe(true)
    }
  }
}, 120_000)

it('refuses a file, and estimates what both sides cost', async () => {
  const request = {
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: false,
    time: { from: '2026-02-14', to: '2026-02-15' },
  }
  const compare = { previous: true }
  for (const path of ['metric_data.csv', 'metric_data_download']) {
    expect(await post(path, { ...request, compare })).toMatchObject({
      status: 422,
      body: { errors: { compare: ['Files cannot contain this; POST /metric_data can.'] } },
    })
  }
  const rowsOf = async (body: object) => {
    const answer = await post('metric_data/estimate', body)
    return (answer.body['data'] as { rows: number; from: string }).rows
  }
  const both = await rowsOf({ ...request, time: { from: '2026-02-12', to: '2026-02-15' } })
  expect(await rowsOf({ ...request, compare })).toBe(both)
})
