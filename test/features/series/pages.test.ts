import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

type Record_ = Record<string, unknown>
type Page = { status: number; headers: Headers; text: string }

let world: World
let service: Service
let authorization: string
let foreign: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const tests = ['httpget']
  await synthPanel(world, { agents: 12, days: 3, owner: 'acme', kinds: ['whitebox'], tests, until: '2026-02-15' })
  await organisation(world, 'other')
  authorization = await token(world, 'acme', ['data:read', 'metadata:read', 'metadata:write'])
  foreign = await token(world, 'other')
  service = await world.serve()
}, 120_000)
afterAll(() => world.close())

const points = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  splits: ['isp'],
  time: { from: '2026-02-12', to: '2026-02-15' },
}
const raw = { ...points, chartType: 'raw' }
const records = { test: 'httpget', date: { from: '2026-02-12', to: '2026-02-16' } }

async function send(path: string, body: object, as = authorization): Promise<Page> {
  const response = await fetch(`${service.addresses.api}${path}`, {
    method: 'POST',
    headers: { authorization: as, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

type Answer = { data: Record_[]; meta?: { next: string | null }; errors?: Record_; code: string }
const parsed = ({ text }: Page): Answer => JSON.parse(text) as Answer

/** The points or records of a response as texts. */
const rowsOf = (page: Page): string[] =>
  parsed(page)
    .data.flatMap((one) => ('metricData' in one ? (one['metricData'] as Record_[]) : [one]))
    .map((one) => JSON.stringify(one))

async function ok(path: string, body: object): Promise<Page> {
  const page = await send(path, body)
  expect(page.status, page.text.slice(0, 500)).toBe(200)
  return page
}

async function pagesOf(path: string, body: object, limit: number): Promise<Page[]> {
  const pages: Page[] = []
  let after: string | null = null
  do {
    const page: Page = await ok(path, { ...body, limit, ...(after === null ? {} : { after }) })
    pages.push(page)
    const next: string | null = parsed(page).meta?.next ?? null
    expect(page.headers.get('broadgauge-next')).toBe(next)
    after = next
  } while (after !== null)
  return pages
}

/** Compares the pages of an answer with the answer, and returns their number. */
async function checkPages(path: string, body: object, limit: number): Promise<number> {
  const whole = rowsOf(await ok(path, body))
  const pages = await pagesOf(path, body, limit)
  expect(pages.flatMap(rowsOf)).toEqual(whole)
  expect(whole.length).toBeGreaterThan(0)
  expect(pages.length).toBe(Math.ceil(whole.length / limit))
  for (const page of pages.slice(0, -1)) expect(rowsOf(page).length).toBe(limit)
  return pages.length
}

it.each<[string, object]>([
  ['plain', {}],
  ['ordered', { order: [{ by: 'metricValue', direction: 'desc' }] }],
  ['selected', { having: [{ field: 'sampleCount', atLeast: 5 }] }],
  ['the first series', { top: { n: 2 } }],
  ['empty buckets', { emptyBuckets: true, aggregation: 'six_hourly' }],
  ['compared', { compare: { time: { from: '2026-02-11', to: '2026-02-14' } } }],
  ['of a sketch', { percentiles: 'sketch', intervals: 'results' }],
])('returns aggregated points in pages: %s', async (_, body) => {
  expect(await checkPages('/metric_data', { ...points, ...body }, 3)).toBeGreaterThan(1)
})

it('returns raw points and test data in pages of any size', async () => {
  const { length } = rowsOf(await ok('/test_data', records))
  expect(length).toBeGreaterThan(100)
  const quarter = Math.ceil(length / 4)
  for (const limit of [quarter, length - 1, length, length + 1]) await checkPages('/test_data', records, limit)
  await checkPages('/metric_data', raw, quarter)
  await checkPages('/metric_data', { ...raw, window: { hours: [3, 4, 5, 19, 20] }, splits: ['target', 'threads'] }, 40)
  const filters = [{ id: 'isp', filterType: 'is_set' }]
  await checkPages('/test_data', { ...records, filters }, quarter)
})

it('divides results of the same time', async () => {
  const dtime = '2026-01-05 12:00:00.000'
  const agent = String(
    (JSON.parse(rowsOf(await ok('/test_data', { ...records, limit: 1 }))[0] ?? '{}') as Record_)['agent_id'],
  )
  const targets = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  await storeFacts(
    world,
    'httpget',
    targets.map((target) => ({ agent, dtime, target, bytes_sec: 1_000_000, sequence: 1 })),
  )
  const body = { test: 'httpget', date: { from: '2026-01-05', to: '2026-01-05' } }
  for (const limit of [1, 2, 3, 6, 7]) {
    expect(await checkPages('/test_data', body, limit)).toBe(Math.ceil(targets.length / limit))
  }
})

describe('a page', () => {
  it('has the cursor of the next one in a header, in every format', async () => {
    for (const [path, body] of [
      ['/metric_data', points],
      ['/metric_data', raw],
      ['/test_data', records],
    ] as const) {
      const { text: whole } = await ok(path, { ...body, format: 'csv' })
      const lines = whole.split('\r\n').length - 2
      const limit = Math.ceil(lines / 2)
      const first = await ok(path, { ...body, limit, format: 'csv' })
      const after = first.headers.get('broadgauge-next')
      const second = await ok(path, { ...body, limit, after, format: 'csv' })
      expect(second.headers.get('broadgauge-next')).toBeNull()
      const header = whole.slice(0, whole.indexOf('\r\n') + 2)
      expect(first.text + second.text.slice(header.length)).toBe(whole)
      const arrow = await ok(path, { ...body, limit, format: 'arrow' })
      expect(arrow.headers.get('broadgauge-next')).not.toBeNull()
    }
  })

  it('can be asked for by URL', async () => {
    const query = 'metric=httpget&aggregation=daily&split=isp&from=2026-02-12&to=2026-02-15&limit=3'
    const read = async (more: string) => {
      const response = await fetch(`${service.addresses.api}/metric_data?${query}${more}`, {
        headers: { authorization },
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    const first = await read('')
    const next = String(parsed(first).meta?.next)
    const second = await read(`&after=${next}`)
    const whole = rowsOf(await ok('/metric_data', points))
    expect([...rowsOf(first), ...rowsOf(second)]).toEqual(whole.slice(0, 6))
    expect(parsed(await read('&after=x')).errors).toEqual({ after: ['This is no cursor of this request.'] })
  })

  it('leaves out what is stored after the first page', async () => {
    for (const [index, [path, body]] of (
      [
        ['/metric_data', points],
        ['/metric_data', raw],
        ['/test_data', records],
      ] as const
    ).entries()) {
      const whole = rowsOf(await ok(path, body))
      const limit = Math.ceil(whole.length / 2)
      const first = await ok(path, { ...body, limit })
      const agent = String(
        (JSON.parse(rowsOf(await ok('/test_data', { ...records, limit: 1 }))[0] ?? '{}') as Record_)['agent_id'],
      )
      const dtime = `2026-02-15 03:0${index}:00.100`
      await storeFacts(world, 'httpget', [
        { agent, dtime, target: 'late', bytes_sec: 5_000_000, warmup_time: 3_000_000 },
      ])
      const second = await ok(path, { ...body, limit, after: parsed(first).meta?.next })
      expect([...rowsOf(first), ...rowsOf(second)]).toEqual(whole)
      expect(rowsOf(await ok(path, body))).not.toEqual(whole)
    }
  })
})

it('refuses a cursor of another organisation, of another request, and an altered one, all alike', async () => {
  const refused = { after: ['This is no cursor of this request.'] }
  for (const [path, body, others] of [
    ['/metric_data', points, [{ splits: ['country'] }, { limit: 4 }, { chartType: 'raw' }]],
    ['/metric_data', raw, [{ prefilter: false }, { limit: 4 }]],
    ['/test_data', records, [{ date: { from: '2026-02-12', to: '2026-02-15' } }, { limit: 4 }]],
  ] as const) {
    const page = { ...body, limit: 3 }
    const after = String(parsed(await ok(path, page)).meta?.next)
    for (const other of others) expect(parsed(await send(path, { ...page, ...other, after })).errors).toEqual(refused)
    expect(parsed(await send(path, { ...page, after }, foreign)).errors).toEqual(refused)
    const [cursor, seal] = JSON.parse(Buffer.from(after, 'base64url').toString()) as [Record_, string]
    const altered = [
      [{ ...cursor, storedBefore: 9e12 }, seal],
      [{ ...cursor, position: { point: 0, digest: null } }, seal],
      [cursor, ''],
      [cursor],
      {},
      null,
    ].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'))
    for (const text of [...altered, '', 'x', `${after}A`, `${after}=`, after.slice(1), 'é'.repeat(9)]) {
      expect(parsed(await send(path, { ...page, after: text })).errors, text).toEqual(refused)
    }
    expect(parsed(await send(path, { ...page, after: 5 })).errors).toEqual({
      after: [expect.stringContaining('string')],
    })
    expect(parsed(await send(path, { ...body, after })).errors).toEqual({
      after: ['Only a request with "limit" has pages.'],
    })
    // The order of the fields and their absence do not matter.
    const same = Object.fromEntries(Object.entries({ ...page, panel: null, after }).toReversed())
    expect((await send(path, same)).status).toBe(200)
  }
})

it('refuses pages of files and estimates', async () => {
  const body = { ...points, limit: 3, after: 'x' }
  for (const path of ['/metric_data_download', '/metric_data/estimate']) {
    expect(parsed(await send(path, body)).errors).toHaveProperty('after')
  }
  expect(parsed(await send('/test_data_download', { ...records, limit: 3 })).errors).toHaveProperty('limit')
})

it('returns 409 for the next page after a change of the metadata', async () => {
  const subjects = [
    { path: '/metric_data', body: points },
    { path: '/metric_data', body: raw },
    { path: '/test_data', body: records },
  ]
  const cursors = await Promise.all(
    subjects.map(async ({ path, body }) => {
      const page = { ...body, limit: 3 }
      return { path, body: { ...page, after: parsed(await ok(path, page)).meta?.next } }
    }),
  )
  for (const { path, body } of cursors) expect((await send(path, body)).status).toBe(200)
  const agent = String(
    (JSON.parse(rowsOf(await ok('/test_data', { ...records, limit: 1 }))[0] ?? '{}') as Record_)['agent_id'],
  )
  const changed = await fetch(`${service.addresses.api}/metadata`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${authorization}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: { agent_id: agent }, metadata: { custom: { floor: 2 } } }),
  })
  expect(changed.status, await changed.text()).toBe(200)
  for (const { path, body } of cursors) {
    const page = await send(path, body)
    expect([page.status, parsed(page).code]).toEqual([409, 'CURSOR_EXPIRED'])
  }
})
