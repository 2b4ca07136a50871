import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeTimelines } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let reader: string

const hourMs = 3_600_000
const stored = (at: number) => new Date(at).toISOString().replace('T', ' ').replace('Z', '')

/** Creates a panel with one agent per zone. A zone that is null stays unknown. */
async function panelIn(key: string, owner: string, zones: readonly (string | null)[]): Promise<void> {
  const agents = zones.map((timezone, index) => ({ agent_id: `${key}-${index}`, timezone }))
  await world.operate(async (operator) => {
    await createPanel(operator, { key, name: key, owner })
    await importAgents(
      operator,
      key,
      asLines(agents.map(({ agent_id }, line) => ({ line, row: agent({ agent_id }) }))),
      () => {},
    )
    const rows = agents
      .filter(({ timezone }) => timezone !== null)
      .map((one, line) => ({ line, row: { ...one, from_day: '2026-01-01', isp: null, package: null, custom: '{}' } }))
    await changeTimelines(operator, key, asLines(rows), { requestId: 'test', request: {} }, () => {})
  })
}

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['acme', 'rival']) await organisation(world, key)
  await panelIn('greenwich', 'acme', [null])
  await panelIn('islands', 'acme', ['Pacific/Kiritimati', null, 'Pacific/Honolulu', 'Asia/Tokyo'])
  await panelIn('east', 'acme', ['Asia/Tokyo', 'Pacific/Kiritimati'])
  await panelIn('empty', 'acme', [])
  await panelIn('ship', 'rival', ['Etc/GMT+12'])
  const recent = Array.from({ length: 26 }, (_, index) => stored(Date.now() - index * hourMs))
  const january = ['01', '02', '03'].map((day) => `2026-01-${day} 12:00:00.000`)
  const facts = [...january, ...recent].map((dtime) => ({ agent: 'greenwich-0', dtime, rtt_avg: 1_000 }))
  await storeFacts(world, 'ping', facts)
  for (const one of ['islands-1', 'east-0'])
    await storeFacts(
      world,
      'ping',
      recent.map((dtime) => ({ agent: one, dtime, rtt_avg: 1_000 })),
    )
  reader = await token(world, 'acme')
  service = await world.serve()
  await settle(world)
}, 120_000)
afterAll(() => world.close())

type Point = { dtime: string; partial?: boolean }

const ask = (more: Record<string, unknown>, path = '/metric_data'): Promise<Answer> =>
  call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: reader,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'ping',
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: false,
      panel: 'greenwich',
      ...more,
    }),
  })

async function pointsOf(more: Record<string, unknown>): Promise<Point[]> {
  const answer = await ask(more)
  expect(answer.status, answer.text).toBe(200)
  return (answer.body['data'] as { metricData: Point[] }[]).flatMap(({ metricData }) => metricData)
}

const partialOf = (points: readonly Point[]): [string, boolean | undefined][] =>
  points.map(({ dtime, partial }) => [dtime, partial])

it('marks a day of which the range contains only a part', async () => {
  const days = async (from: string, to: string) => partialOf(await pointsOf({ time: { from, to } }))
  expect(await days('2026-01-01', '2026-01-03')).toEqual([
    ['2026-01-01', undefined],
    ['2026-01-02', undefined],
    ['2026-01-03', undefined],
  ])
  expect(await days('2026-01-01 00:00:01', '2026-01-03 23:59')).toEqual([
    ['2026-01-01', true],
    ['2026-01-02', undefined],
    ['2026-01-03', true],
  ])
})

it.each(['sketch', 'none'])('marks partial points with percentiles %s and normalised too', async (percentiles) => {
  const time = { from: '2026-01-01 00:00', to: '2026-01-03 12:00' }
  expect(partialOf(await pointsOf({ time, percentiles, normalised: true, splits: ['base'] }))).toEqual([
    ['2026-01-01', undefined],
    ['2026-01-02', undefined],
    ['2026-01-03', true],
  ])
})

it.each(['hour_of_day', 'day_of_week', 'day_of_month', 'total'])('marks no point of %s', async (aggregation) => {
  const points = await pointsOf({ aggregation, time: { from: '2026-01-01 10:30', to: '2026-01-03 12:00' } })
  expect(points.length).toBeGreaterThan(0)
  expect(points.filter((point) => 'partial' in point)).toEqual([])
})

/** The partial hours of a panel, counted from the present hour in UTC. */
async function partialHours(panel: string): Promise<number[]> {
  const hourOf = () => Math.floor(Date.now() / hourMs)
  for (;;) {
    const asked = hourOf()
    const time = { from: (asked - 20) * hourMs, to: '+1 days' }
    const points = await pointsOf({ panel, aggregation: 'hourly', time })
    const hours = points
      .filter(({ partial }) => partial === true)
      .map(({ dtime }) => Date.parse(`${dtime}Z`) / hourMs - asked)
    // Ask again if the hour has changed in between.
    if (hourOf() === asked) return hours
  }
}

it('marks an hour until it has ended where the agents are furthest west', async () => {
  expect(await partialHours('greenwich')).toEqual([0])
  expect(await partialHours('islands')).toEqual([-10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0])
})

it('takes hours as ended by the clocks of the agents, also east of UTC', async () => {
  expect(await partialHours('east')).toEqual([9])
})

it('reads the zones of the requested panels only, and answers for a panel without agents', async () => {
  const time = { from: '-2 days', to: 'now' }
  const all = await pointsOf({ panel: null, aggregation: 'hourly', time })
  const [last] = all.filter(({ partial }) => partial === undefined).slice(-1)
  expect(Date.parse(`${last?.dtime}Z`)).toBeGreaterThan(Date.now() - 12 * hourMs - 1)
  expect(await pointsOf({ panel: 'empty', time })).toEqual([])
})

it('narrows the range to whole periods', async () => {
  const time = { from: '2025-12-31 10:00', to: '2026-01-03 12:00' }
  expect(partialOf(await pointsOf({ wholePeriods: true, time }))).toEqual([
    ['2026-01-01', undefined],
    ['2026-01-02', undefined],
  ])
  const recent = await pointsOf({ wholePeriods: true, aggregation: 'hourly', time: { from: '-1 days', to: '+1 days' } })
  expect(recent).toHaveLength(23)
  expect(recent.filter(({ partial }) => partial)).toEqual([])
})

it('shows the narrowed range in `meta`, and the range of any request that includes it', async () => {
  const time = { from: '2025-12-31 10:00', to: '2026-01-03 12:00' }
  const meta = async (more: Record<string, unknown>) => (await ask({ time, ...more })).body['meta']
  expect(await meta({ wholePeriods: true })).toMatchObject({
    metric: { key: 'ping', unit: 'ms' },
    time: { from: '2026-01-01T00:00:00', to: '2026-01-02T23:59:59' },
    wholePeriods: true,
    panels: 1,
  })
  expect(await meta({ include: ['meta'], panel: ['east', 'greenwich'] })).toMatchObject({
    time: { from: '2025-12-31T10:00:00', to: '2026-01-03T12:00:00' },
    panels: 2,
  })
  expect(await meta({})).toBeUndefined()
})

it('refuses whole periods if no period of the range is whole', async () => {
  const answer = await ask({ wholePeriods: true, time: { from: '2026-01-01 00:01', to: '2026-01-02 23:59' } })
  expect([answer.status, answer.body['errors']]).toEqual([422, { time: ['No whole period of this range has ended.'] }])
  const future = await ask({ wholePeriods: true, time: { from: '+2 days', to: '+9 days' } })
  expect(future.status).toBe(422)
})

it('has its column after the splits in files, and before the reasons for caution', async () => {
  const time = { from: '2026-01-01 00:00', to: '2026-01-03 12:00' }
  const asked = await ask({ time, splits: ['base'], percentiles: 'none' }, '/metric_data.csv')
  const { url } = asked.body['data'] as { url: string }
  const [header, ...rows] = (await (await fetch(url)).text()).trim().split('\r\n')
  expect(header).toMatch(/,"base","partial","caution"$/)
  // The reasons for caution are a list in quotes, or an empty cell.
  expect(rows.map((row) => /,(true|false),("[^]*")?$/.exec(row)?.[1])).toEqual(['false', 'false', 'true'])
})
