import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { changeEntitlements } from '../../../src/engine/postgres/operator/organisations.ts'
import { changeSubscription } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
const tokens: Record<string, string> = {}

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'fixed-line')
  await organisation(world, 'mobile')
  await organisation(world, 'browser')
  await organisation(world, 'narrow', { tests: ['dns'], metrics: [] })
  await organisation(world, 'empty')
  await panel(world, 'homes', 'fixed-line', ['whitebox', 'cpe'])
  await panel(world, 'phones', 'mobile', ['mobile'])
  await panel(world, 'pages', 'browser', ['web'])
  await panel(world, 'homes-too', 'narrow', ['whitebox'])
  for (const key of ['fixed-line', 'mobile', 'browser', 'narrow', 'empty']) tokens[key] = await token(world, key)
  service = await world.serve()
})
afterAll(() => world.close())

async function list(who: string, path: string): Promise<unknown> {
  const answer = await call(`${service.addresses.api}${path}`, { token: tokens[who] ?? '' })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ code: 'OK', message: 'Request successful' })
  return answer.body['data']
}

const unitTests = 'httpget httppost dns netflix ping jitter latency webget youtube network_usage traceroute'.split(' ')
const mobileTests = 'mobile_download mobile_latency mobile_upload mobile_www mobile_youtube'.split(' ')

describe('GET /tests', () => {
  it('lists the tests that the agents of an organisation run, in the order of the specification', async () => {
    expect(await list('fixed-line', '/tests')).toEqual(unitTests)
    expect(await list('mobile', '/tests')).toEqual(mobileTests)
    expect(await list('browser', '/tests')).toEqual(['httpget', 'httppost', 'latency'])
  })

  it('lists nothing to an organisation without panels, and only tests it is entitled to', async () => {
    expect(await list('empty', '/tests')).toEqual([])
    expect(await list('narrow', '/tests')).toEqual(['dns'])
  })

  it('lists one of the two kinds with ?kind=', async () => {
    expect(await list('mobile', '/tests?kind=unit')).toEqual([])
    expect(await list('mobile', '/tests?kind=mobile')).toEqual(mobileTests)
  })

  it('shows a subscribed panel, until the subscription ends', async () => {
    const change = (subscribed: boolean) =>
      world.operate((operator) =>
        changeSubscription(operator, { panel: 'phones', organisation: 'fixed-line', subscribed }),
      )
    await change(true)
    expect(await list('fixed-line', '/tests')).toEqual([...unitTests, ...mobileTests])
    expect(await list('browser', '/tests')).toEqual(['httpget', 'httppost', 'latency'])
    await change(false)
    expect(await list('fixed-line', '/tests')).toEqual(unitTests)
  })

  it('shows a changed entitlement with the next request', async () => {
    const entitle = (tests: string[]) => world.operate((operator) => changeEntitlements(operator, 'narrow', { tests }))
    await entitle(['ping', 'dns', 'mobile_www'])
    expect(await list('narrow', '/tests')).toEqual(['dns', 'ping'])
    await entitle(['dns'])
    expect(await list('narrow', '/tests')).toEqual(['dns'])
  })
})

describe('GET /metrics', () => {
  it('lists key and unit, and the texts that people need to choose', async () => {
    const metrics = (await list('fixed-line', '/metrics')) as Record<string, unknown>[]
    const onFixedLines = catalog.metrics.filter(({ test }) => unitTests.includes(test))
    expect(metrics.map(({ key }) => key)).toEqual(onFixedLines.map(({ key }) => key))
    expect(metrics[0]).toEqual({
      key: 'httpget',
      unit: 'mbps',
      name: expect.any(String),
      description: expect.any(String),
      test: 'httpget',
      higherIsBetter: true,
      aggregatedOnly: false,
      pools: ['target', 'target_set', 'threads', 'ip_version'],
      splits: [
        'isp',
        'package',
        'country',
        'agent',
        'unit',
        'base',
        'hour_of_day',
        'day_of_week',
        'peak',
        'target',
        'target_set',
        'threads',
        'ip_version',
      ],
      filters: [
        'isp',
        'package',
        'country',
        'agent',
        'unit',
        'base',
        'hour_of_day',
        'day_of_week',
        'peak',
        'target',
        'target_set',
        'threads',
        'ip_version',
      ],
    })
  })

  it('lists no metric whose test no agent of the caller runs, and none it is not entitled to', async () => {
    const onPhones = (await list('mobile', '/metrics')) as { test: string }[]
    expect(new Set(onPhones.map(({ test }) => test))).toEqual(new Set(mobileTests))
    expect(await list('narrow', '/metrics')).toEqual([])
    expect(await list('empty', '/metrics')).toEqual([])
  })

  it('answers HEAD without a body', async () => {
    const answer = await call(`${service.addresses.api}/metrics`, { method: 'HEAD', token: tokens['mobile'] ?? '' })
    expect([answer.status, answer.text]).toEqual([200, ''])
  })
})

describe('GET /splits and /filters', () => {
  const speeds = ['httpget', 'httppost'].flatMap((test) => [test, `${test}_single`, `${test}_multi`])
  const transferMetrics = [...speeds, 'httpget_retrans', 'httppost_retrans']

  type Entry = { id: string; type: string }

  it('show the type of each, the kinds of agent that have it, and the metrics it applies to', async () => {
    const splits = (await list('fixed-line', '/splits')) as Entry[]
    expect(splits.filter(({ type }) => type !== 'string').map(({ id, type }) => `${id}: ${type}`)).toEqual([
      'hour_of_day: integer',
      'day_of_week: integer',
      'threads: integer',
      'ip_version: integer',
    ])
    const one = (wanted: string) => splits.find(({ id }) => id === wanted)
    for (const id of ['threads', 'ip_version'])
      expect(one(id)).toEqual({
        id,
        name: expect.any(String),
        type: 'integer',
        kinds: ['whitebox', 'cpe', 'web'],
        metrics: transferMetrics,
      })
    expect(one('isp')).toEqual({
      id: 'isp',
      name: 'ISP',
      type: 'string',
      kinds: ['whitebox', 'cpe', 'mobile', 'web'],
      metrics: null,
    })
    const onPhones = (await list('mobile', '/splits')) as Entry[]
    expect(onPhones.filter(({ type }) => type !== 'string').map(({ id }) => id)).toEqual(['hour_of_day', 'day_of_week'])
  })

  it.each(['fixed-line', 'mobile', 'browser'])(
    'list the same to "%s", filters with their types and the path to their values',
    async (who) => {
      const splits = (await list(who, '/splits')) as Entry[]
      expect(splits).not.toEqual([])
      const filterTypes: unknown = expect.arrayContaining(['include', 'exclude', 'matches', 'is_missing'])
      const asFilters = splits.map((entry) => ({ ...entry, filterTypes, values: `/filters/${entry.id}/values` }))
      expect(await list(who, '/filters')).toEqual(asFilters)
    },
  )

  it('list nothing to a caller without metrics', async () => {
    for (const who of ['narrow', 'empty']) {
      expect(await list(who, '/splits')).toEqual([])
      expect(await list(who, '/filters')).toEqual([])
    }
  })
})
