import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { panelOf, subscribe } from './values-world.ts'

let world: World
let service: Service
let reader: string

const store = (agent: string, days: readonly string[], test = 'ping') =>
  storeFacts(
    world,
    test,
    days.map((day) => ({ agent, dtime: `2026-01-${day} 10:00:00.000`, target: 'n1', rtt_avg: 1_000 })),
  )

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['acme', 'rival', 'watcher']) await organisation(world, key)
  for (const key of ['homes', 'offices', 'empty']) {
    await panelOf(world, key, 'acme', [{ agent_id: `${key}-1` }])
    await subscribe(world, key, 'watcher')
  }
  await panelOf(world, 'secret', 'rival', [{ agent_id: 'secret-1' }])
  await store('homes-1', ['10', '15', '20'])
  await store('offices-1', ['14', '16'])
  await store('secret-1', ['01', '30'])
  reader = await token(world, 'watcher')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

type Warning = { code: string; [member: string]: unknown }

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
      panel: 'homes',
      time: { from: '2026-01-10', to: '2026-01-20' },
      ...more,
    }),
  })

async function warningsOf(...given: Parameters<typeof ask>): Promise<Warning[] | undefined> {
  const answer = await ask(...given)
  expect(answer.status, answer.text).toBe(200)
  return answer.body['warnings'] as Warning[] | undefined
}

const between = (from: string, to: string) => ({ time: { from: `2026-01-${from}`, to: `2026-01-${to}` } })

it('warns of a range that begins before the first or ends after the last day with results', async () => {
  const days = { code: 'range_beyond_data', firstDay: '2026-01-10', lastDay: '2026-01-20' }
  const there = 'there are results from 2026-01-10 to 2026-01-20 (UTC).'
  expect(await warningsOf(between('08', '20'))).toEqual([
    { ...days, message: `The range begins before the first day with results: ${there}` },
  ])
  expect(await warningsOf(between('10', '22'))).toEqual([
    { ...days, message: `The range ends after the last day with results: ${there}` },
  ])
  expect(await warningsOf(between('01', '31'))).toEqual([
    { ...days, message: `The range begins before the first and ends after the last day with results: ${there}` },
  ])
})

it('warns of a base that begins before the first or ends after the last day with results', async () => {
  const request = { ...between('12', '15'), aggregation: 'total' }
  const days = { code: 'range_beyond_data', firstDay: '2026-01-10', lastDay: '2026-01-20' }
  const message =
    'The range of the base begins before the first day with results: there are results from 2026-01-10 to 2026-01-20 (UTC).'
  expect(await warningsOf({ ...request, compare: { previous: true } })).toEqual([{ ...days, message }])
  expect(await warningsOf({ ...request, ...between('16', '19'), compare: { previous: true } })).toBeUndefined()
})

it('does not warn of a range inside the results, or beyond them by the day by which time zones differ', async () => {
  expect(await warningsOf(between('12', '13'))).toBeUndefined()
  expect(await warningsOf(between('10', '20'))).toBeUndefined()
  expect(await warningsOf(between('09', '21'))).toBeUndefined()
})

it('counts the results of the requested test and panels only', async () => {
  expect(await warningsOf({ ...between('10', '20'), panel: 'offices' })).toMatchObject([
    { code: 'range_beyond_data', firstDay: '2026-01-14', lastDay: '2026-01-16' },
  ])
  expect(await warningsOf({ panel: 'empty' })).toBeUndefined()
  expect(await warningsOf({ metric: 'jitterDown' })).toBeUndefined()
})

it('finds new results at once', async () => {
  await store('homes-1', ['10', '20'], 'dns')
  const asked = { metric: 'dnsFail', ...between('10', '25') }
  expect(await warningsOf(asked)).toMatchObject([{ lastDay: '2026-01-20' }])
  await store('homes-1', ['25'], 'dns')
  expect(await warningsOf(asked)).toBeUndefined()
})

it('warns of panels that are pooled without having been named', async () => {
  expect(await warningsOf({ panel: null })).toEqual([
    {
      code: 'panels_pooled',
      message: 'The points pool the results of 2 panels. Name the panels in `panel` if this is what you want.',
      panels: ['homes', 'offices'],
    },
  ])
  expect(await warningsOf({ panel: ['homes', 'offices', 'empty'] })).toBeUndefined()
  expect(await warningsOf({ panel: null, ...between('18', '20') })).toBeUndefined()
})

it('sends the warnings in a header if the response streams; raw points pool no panels', async () => {
  const header = async (more: Record<string, unknown>) =>
    (await ask({ chartType: 'raw', panel: null, ...more })).headers.get('broadgauge-warnings')
  expect(JSON.parse((await header(between('01', '20'))) ?? '')).toMatchObject([{ code: 'range_beyond_data' }])
  expect(await header({})).toBeNull()
})

it('shows the warnings in an export of points, and none in an export of test data', async () => {
  type Shown = { warnings?: Warning[] }
  const points = (await ask({ panel: null, ...between('01', '20') }, '/metric_data_download')).body['data'] as Shown
  expect(points.warnings?.map(({ code }) => code)).toEqual(['range_beyond_data', 'panels_pooled'])
  const records = await call(`${service.addresses.api}/test_data_download`, {
    method: 'POST',
    token: reader,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ test: 'ping', date: { from: '2026', to: '2026' } }),
  })
  expect(records.status).toBe(200)
  expect(records.body['data']).not.toHaveProperty('warnings')
})
