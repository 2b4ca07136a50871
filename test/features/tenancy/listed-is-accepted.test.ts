import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { note, panelOf, say, subscribe } from '../filters/values-world.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

/**
 * A caller can request everything that a listing shows. The service refuses everything else. It makes no difference
 * whether the name belongs to another organisation or does not exist.
 */

const callers = ['fixed', 'mobile', 'browser', 'both', 'figure', 'raw-only', 'mixed', 'nothing'] as const

let world: World
let service: Service
const tokens: Record<string, string> = {}

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['fixed', 'mobile', 'browser', 'both', 'nothing']) await organisation(world, key)
  await organisation(world, 'figure', { tests: [], metrics: ['httpget'] })
  await organisation(world, 'raw-only', { tests: ['dns', 'mobile_www'], metrics: [] })
  await organisation(world, 'mixed', { tests: ['ping'], metrics: ['dnsFail', 'mobileJitter', 'latency'] })
  await panelOf(world, 'homes', 'fixed', [{ agent_id: 'h1' }, { agent_id: 'h2', kind: 'cpe' }])
  await panelOf(world, 'phones', 'mobile', [{ agent_id: 'm1', kind: 'mobile', unit_id: null }])
  await panel(world, 'pages', 'browser', ['web'])
  for (const who of ['both', 'figure', 'raw-only']) await subscribe(world, 'homes', who)
  for (const who of ['both', 'mixed']) await subscribe(world, 'phones', who)
  await say(world, 'homes', [{ agent_id: 'h1', from_day: '2026-01-01', custom: { region: 'north', 'odd/key %': 1 } }])
  await say(world, 'phones', [{ agent_id: 'm1', from_day: '2026-01-01', custom: { region: 'south', plan: 'x' } }])
  await note(world)
  for (const key of callers) tokens[key] = await token(world, key)
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const customIds = ['custom.region', 'custom.odd/key %', 'custom.plan', 'custom.nobody', 'custom.']
const dimensionIds = [...catalog.dimensions.map(({ id }) => id), ...customIds, 'timezone', 'Isp', '']
const metricKeys = [...catalog.metrics.map(({ key }) => key), 'HTTPGET', 'nothing', '']
const testKeys = [...catalog.tests.map(({ key }) => key), 'rejected_results', 'fact_values', '']

const send = (who: string, path: string, body?: unknown): Promise<Answer> =>
  call(`${service.addresses.api}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    token: tokens[who] ?? '',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })

const list = async <Entry>(who: string, path: string): Promise<Entry[]> => {
  const { status, body } = await send(who, path)
  expect(status).toBe(200)
  return body['data'] as Entry[]
}

/** Acceptance does not depend on the numbers of a point, and ClickHouse plans a statement with one number faster. */
const request = (metric: string, more: object = {}) => ({
  fields: ['sampleCount'],
  metric,
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: true,
  time: { from: '2026-01-01 00:00', to: '2026-01-02 00:00' },
  ...more,
})

/** True if the response refuses this field. The test fails on any other error. */
function isRefused({ status, body }: Answer, field: string): boolean {
  if (status === 200) return false
  expect([status, Object.keys((body['errors'] as object | undefined) ?? {})]).toEqual([422, [field]])
  return true
}

type Dimension = { id: string; metrics: string[] | null }
type Metric = { key: string; splits: string[]; filters: string[] }

describe.each(callers)('for the caller "%s"', (who) => {
  it('exactly the listed tests are accepted', async () => {
    const listed = await list<string>(who, '/tests')
    for (const test of testKeys) {
      const answer = await send(who, '/test_data', { test, date: { from: '2026-01-01', to: '2026-01-01' } })
      expect([test, !isRefused(answer, 'test')]).toEqual([test, listed.includes(test)])
    }
  })

  it('exactly the listed metrics are accepted', async () => {
    const listed = (await list<Metric>(who, '/metrics')).map(({ key }) => key)
    for (const metric of metricKeys) {
      const answer = await send(who, '/metric_data', request(metric))
      expect([metric, !isRefused(answer, 'metric')]).toEqual([metric, listed.includes(metric)])
    }
  })

  it('exactly the listed splits and filters are accepted with each metric', async () => {
    const metrics = await list<Metric>(who, '/metrics')
    const splits = await list<Dimension>(who, '/splits')
    const filters = await list<Dimension>(who, '/filters')
    expect(filters.map(({ id }) => id)).toEqual(splits.map(({ id }) => id))
    for (const { key, splits: own, filters: ownFilters } of metrics) {
      const askable = splits.filter((one) => one.metrics?.includes(key) ?? true).map(({ id }) => id)
      expect([own, ownFilters]).toEqual([askable, askable])
      const filtersOf = (ids: readonly string[]) =>
        ids.map((id) => ({ id, filterType: 'include', filterValues: ['1'] }))
      // Send all names in one request: the response names every fault.
      const refused = await send(
        who,
        '/metric_data',
        request(key, { splits: dimensionIds, filters: filtersOf(dimensionIds) }),
      )
      const errors = new Set(Object.keys(refused.body['errors'] as object))
      const accepted = (path: (index: number) => string) => dimensionIds.filter((_, index) => !errors.has(path(index)))
      expect(accepted((index) => `splits[${index}]`)).toEqual(dimensionIds.filter((id) => askable.includes(id)))
      expect(accepted((index) => `filters[${index}][id]`)).toEqual(dimensionIds.filter((id) => askable.includes(id)))
      expect(await send(who, '/metric_data', request(key, { filters: filtersOf(askable) }))).toMatchObject({
        status: 200,
      })
    }
    for (const { id, metrics: its } of splits) {
      const metric = its?.[0] ?? metrics[0]?.key ?? ''
      expect(await send(who, '/metric_data', request(metric, { splits: [id] }))).toMatchObject({ status: 200 })
    }
  }, 60_000)

  it('exactly the listed filters have values', async () => {
    const listed = (await list<Dimension>(who, '/filters')).map(({ id }) => id)
    for (const id of dimensionIds.filter((one) => one !== '')) {
      const { status } = await send(who, `/filters/${encodeURIComponent(id)}/values`)
      expect([id, status]).toEqual([id, listed.includes(id) ? 200 : 404])
    }
  })
})

it('tries callers who see everything, something and nothing', async () => {
  const counts = async (path: string) => Promise.all(callers.map(async (who) => (await list(who, path)).length))
  const some = expect.any(Number)
  const [tests, metrics] = [await counts('/tests'), await counts('/metrics')]
  expect(tests).toEqual([some, some, some, catalog.tests.length, 0, 1, 0, 0])
  expect(metrics).toEqual([some, some, some, catalog.metrics.length, 1, 0, 1, 0])
  expect(tests.slice(0, 3).every((count) => count > 0 && count < catalog.tests.length)).toBe(true)
  expect(new Set(await counts('/filters')).size).toBeGreaterThan(4)
})
