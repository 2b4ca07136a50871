import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let base: string
let secret: string

const targets = Array.from({ length: 60 }, (_, index) => `t${index + 1}`)

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  secret = await token(world, 'acme')
  // One result for each target.
  const rows = targets.map((target) => ({ agent: 'homes-whitebox', dtime: '2026-01-01 00:00:00.000', target }))
  await storeFacts(
    world,
    'ping',
    rows.map((row) => ({ ...row, rtt_avg: 1_000 })),
  )
  base = (await world.serve()).addresses.api
})
afterAll(() => world.close())

type Filter = [id: string, filterType: 'include' | 'exclude', ...filterValues: string[]]

/**
 * The number of results that pass the filters. The function counts raw points and also reads the sample count of a
 * total. The two numbers must be equal.
 */
async function left(...filters: readonly Filter[]): Promise<number> {
  const points = async (chartType: 'raw' | 'aggregate') => {
    const { status, text, body } = await call(`${base}/metric_data`, {
      method: 'POST',
      token: secret,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        metric: 'ping',
        chartType,
        aggregation: 'total',
        normalised: false,
        prefilter: false,
        filters: filters.map(([id, filterType, ...filterValues]) => ({ id, filterType, filterValues })),
        time: { from: '2026-01-01 00:00', to: '2026-01-01 23:59:59' },
      }),
    })
    expect(status, text).toBe(200)
    return (body['data'] as { metricData: { sampleCount: number }[] }[]).flatMap(({ metricData }) => metricData)
  }
  const [total] = await points('aggregate')
  const raw = await points('raw')
  expect(total?.sampleCount ?? 0).toBe(raw.length)
  return raw.length
}

it('keeps results that pass every filter, also several filters by one dimension', async () => {
  expect(await left(['target', 'include', 't1', 't2'])).toBe(2)
  expect(await left(['target', 'include', 't1', 't2'], ['target', 'include', 't2', 't3'])).toBe(1)
  expect(await left(['target', 'include', 't1', 't2'], ['target', 'exclude', 't2'])).toBe(1)
  expect(await left(['target', 'include', 't1'], ['target', 'exclude', 't1'])).toBe(0)
  expect(await left(['target', 'exclude', 't1'], ['target', 'exclude', 't2'])).toBe(58)
})

it('accepts fifty filters, the maximum', { timeout: 120_000 }, async () => {
  const fifty = (filter: (index: number) => Filter) => Array.from({ length: 50 }, (_, index) => filter(index))
  expect(await left(...fifty((index) => ['target', 'exclude', targets[index] ?? '']))).toBe(10)
  expect(await left(...fifty((index) => ['isp', 'exclude', `Isp ${index}`]))).toBe(60)
  expect(await left(...fifty((index) => ['isp', 'include', `Isp ${index}`]))).toBe(0)
})
