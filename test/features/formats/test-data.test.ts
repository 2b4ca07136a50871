import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, IncompleteAnswerError, type Client } from '../../../clients/typescript/src/index.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { differenceOf, formats, mediaTypes, readFormat, type Format, type Row } from './read-formats.ts'
import { openStreamWorld, type StreamWorld } from '../test-data/stream-world.ts'

let world: World
let service: Service
let own: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await synthPanel(world, { agents: 12, days: 2, owner: 'acme', geography: 'odd-zones' })
  service = await world.serve()
  own = await token(world, 'acme')
}, 600_000)
afterAll(() => world?.close())

const ask = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.addresses.api}${path}`, {
    headers: { authorization: own, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })

const date = { from: '2026-04-14', to: '2026-04-15' }

describe('test data', () => {
  it.each(catalog.tests.map(({ key }) => key))('of %s is the same in every format', async (test) => {
    const answer = await call(`${service.addresses.api}/test_data`, {
      method: 'POST',
      token: own,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ test, date }),
    })
    const expected = answer.body['data'] as Row[]
    expect(expected.length).toBeGreaterThan(0)
    for (const format of formats) {
      const response = await ask('/test_data', { test, date }, { accept: mediaTypes[format] })
      expect(response.headers.get('content-disposition')).toMatch(
        new RegExp(`^attachment; filename="${test}-results-2026-04-14-2026-04-15.(csv|ndjson|arrows)"$`),
      )
      const { columns, rows } = readFormat(format, await response.bytes())
      expect(columns).toEqual(Object.keys(expected[0] ?? {}))
      expect(rows.length).toBe(expected.length)
      expect(
        rows.map((row, at) => differenceOf(format, columns, row, expected[at] ?? {})).find((one) => one !== null),
      ).toBe(undefined)
    }
  })

  it.each(formats)('without results is a complete response in %s', async (format) => {
    const nothing = { test: 'httpget' as const, date: { from: '2020-01-01', to: '2020-01-01' }, format }
    const response = await ask('/test_data', nothing)
    expect([response.status, readFormat(format, await response.bytes()).rows]).toEqual([200, []])
    const client = createClient({ url: service.addresses.api, token: own })
    const { format: _, ...request } = nothing
    await Array.fromAsync(client.testDataAs(format, request))
  })
})

const query = 'metric=httpget&aggregation=daily&split=isp&from=2026-04-14&to=2026-04-15'

describe('metric data', () => {
  it('is read by the Arrow library of ClickHouse with the same values', async () => {
    const bytes = await (await ask(`/metric_data?${query}&format=arrow`)).bytes()
    const { rows } = readFormat('arrow', bytes)
    const [node] = world.engine('ADMIN').nodes
    const result = await node?.query({
      query: `SELECT isp, toString(dtime) AS dtime, metricValue, sampleCount, partial, caution
              FROM format(ArrowStream, unhex('${Buffer.from(bytes).toString('hex')}'))`,
      format: 'JSONEachRow',
    })
    const found = await result?.json<Row>()
    expect(rows.length).toBeGreaterThan(3)
    expect(found?.map(({ dtime, ...row }) => ({ ...row, dtime: String(dtime).slice(0, 10) }))).toEqual(
      rows.map(({ isp, dtime, metricValue, sampleCount, partial, caution }) => ({
        isp,
        metricValue,
        sampleCount,
        partial,
        caution,
        dtime: String(dtime).slice(0, 10),
      })),
    )
  })

  it('has a name for a file, its length, and no other content type', async () => {
    const response = await ask(`/metric_data?${query}&split=base&format=csv`)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="httpget-by-isp-base-daily-2026-04-14-2026-04-15.csv"',
      'content-length': String((await response.bytes()).length),
      'cache-control': 'no-store',
      'x-percentiles': 'exact',
    })
  })

  it('has warnings in a header, and in the metadata of an Arrow schema', async () => {
    const filtered = `${query}&filter.isp.exclude=B%C3%BCcher`
    for (const format of formats) {
      const { headers } = await ask(`/metric_data?${filtered}&format=${format}`)
      expect(JSON.parse(headers.get('broadgauge-warnings') ?? '')).toMatchObject([{ value: 'Bücher' }])
    }
    const { tableFromIPC } = await import('apache-arrow')
    const arrow = await ask(`/metric_data?${filtered}&include=meta&format=arrow`)
    const { metadata } = tableFromIPC(await arrow.bytes()).schema
    expect(JSON.parse(metadata.get('broadgauge.warnings') ?? '')).toMatchObject([{ value: 'Bücher' }])
    expect(JSON.parse(metadata.get('broadgauge.meta') ?? '')).toMatchObject({ metric: { key: 'httpget' } })
  })

  it.each([
    [`${query}&format=xml`, { format: ['json', 'csv', 'ndjson', 'arrow'] }],
    [`${query}&include=meta&format=csv`, { format: ['json', 'arrow'] }],
    [`${query}&spilt=isp`, { spilt: expect.arrayContaining(['split']) }],
    [`${query}&filter.isq=x`, { 'filter.isq': expect.arrayContaining(['isp']) }],
    [`${query}&split=isq`, { split: expect.arrayContaining(['isp']) }],
  ])('refuses GET /metric_data?%s as JSON, with the choices', async (text, choices) => {
    const response = await ask(`/metric_data?${text}`, undefined, { accept: 'text/csv' })
    const { details, code }: { code: string; details: Record<string, { choices: string[] }> } = JSON.parse(
      await response.text(),
    )
    expect([response.status, code]).toEqual([422, 'VALIDATION_FAIL'])
    expect(Object.fromEntries(Object.entries(details).map(([name, one]) => [name, one.choices]))).toEqual(choices)
  })

  it('names the parameters that are missing or wrong', async () => {
    const missing = await call(`${service.addresses.api}/metric_data?window.hours=25&normalised=yes`, { token: own })
    expect([missing.status, Object.keys(missing.body['errors'] as object).toSorted()]).toEqual([
      422,
      ['aggregation', 'from', 'metric', 'normalised', 'to', 'window.hours'],
    ])
  })

  it('refuses other parameters of a POST, and formats that differ', async () => {
    const body = { metric: 'httpget', format: 'csv' }
    for (const path of ['/metric_data?split=isp', '/metric_data?format=json', '/test_data?format=json'])
      expect((await ask(path, body)).status).toBe(422)
  })

  it('is refused without a token, and answers HEAD without a body', async () => {
    expect((await fetch(`${service.addresses.api}/metric_data?${query}`)).status).toBe(403)
    for (const more of ['', '&format=csv', '&chartType=raw', '&chartType=raw&format=arrow']) {
      const response = await fetch(`${service.addresses.api}/metric_data?${query}${more}`, {
        method: 'HEAD',
        headers: { authorization: own },
      })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
  })
})

describe('a stream that ClickHouse cannot complete', () => {
  let stage: StreamWorld
  let client: Client
  beforeAll(async () => {
    stage = await openStreamWorld(300_000)
    const { addresses } = await stage.world.serve()
    client = createClient({ url: addresses.api, token: stage.token, retries: 0 })
  }, 600_000)
  afterAll(() => stage?.world.close())

  /** Kills the queries of this test, but no other. */
  async function kill(): Promise<number> {
    const killed = stage.world.engine('ADMIN').nodes.map(async (node) => {
      const result = await node.query({
        query: `KILL QUERY WHERE position(query, '${stage.world.name}.httpget') > 0 AND query NOT LIKE '%KILL%' ASYNC`,
        format: 'JSONEachRow',
      })
      return result.json()
    })
    return (await Promise.all(killed)).flat().length
  }

  const request = { test: 'httpget' as const, date: { from: '2026', to: '2026' } }

  it.each(formats)('throws in the client, for test data in %s', async (format: Format) => {
    let killed = 0
    let bytes = 0
    const read = async () => {
      for await (const chunk of client.testDataAs(format, request)) {
        if (killed === 0) killed = await kill()
        bytes += chunk.length
      }
    }
    await expect(read()).rejects.toBeInstanceOf(IncompleteAnswerError)
    expect(killed).toBeGreaterThan(0)
    expect(bytes).toBeGreaterThan(0)
  })

  it.each(formats)('throws in the client, for raw points in %s', async (format: Format) => {
    const raw = {
      metric: 'httpget' as const,
      normalised: false,
      prefilter: false,
      time: { from: '2026-01-01', to: '2026-12-31' },
    }
    let killed = 0
    const read = async () => {
      for await (const _ of client.metricDataAs(format, raw)) if (killed === 0) killed = await kill()
    }
    await expect(read()).rejects.toBeInstanceOf(IncompleteAnswerError)
    expect(killed).toBeGreaterThan(0)
  })

  it.each([
    ['csv', '"a"\r\n1\r'],
    ['csv', ''],
    ['ndjson', '{"a":1}\n{"a"'],
    ['arrow', 'ARROW'],
  ] as const)('throws in the client, if a %s response ends early without an error: %j', async (format, text) => {
    const cut = createClient({ url: 'http://localhost', token: 'x', fetch: async () => new Response(text) })
    await expect(Array.fromAsync(cut.testDataAs(format, request))).rejects.toBeInstanceOf(IncompleteAnswerError)
  })
})
