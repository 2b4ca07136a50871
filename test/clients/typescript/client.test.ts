import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  BroadgaugeError,
  createClient,
  IncompleteAnswerError,
  type Client,
  type Warning,
} from '../../../clients/typescript/src/index.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let client: Client
let everything: string
const now = new Date(Date.now() - 3_600_000).toISOString().replace('T', ' ').replace('Z', '')
const resultCount = 500

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'north')
  everything = await token(world, 'north', ['data:read', 'metadata:read', 'metadata:write', 'questions:write'])
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'Homes', owner: 'north' })
    const row = agent({ agent_id: 'wb-0001', unit_id: '1001', base: 'model "}] \\ é' })
    await importAgents(operator, 'homes', asLines([{ line: 2, row }]), () => {})
  })
  const rows = Array.from({ length: resultCount }, (_, index) => ({
    agent: 'wb-0001',
    dtime: now,
    bytes_sec: 1_000_000 + index,
    sequence: index,
    target: `[{"${index}`,
  }))
  await storeFacts(world, 'httpget', rows)
  service = await world.serve()
  client = createClient({ url: `${service.addresses.api}/`, token: everything })
})
afterAll(() => world.close())

const request = {
  metric: 'httpget',
  normalised: false,
  prefilter: false,
  time: { from: '-1 days', to: 'now' },
} as const

describe('reading', () => {
  it('lists tests, metrics, splits and filters', async () => {
    expect((await client.metrics()).map(({ key }) => key)).toContain('httpget')
    expect(await client.tests({ kind: 'unit' })).toContain('httpget')
    expect((await client.splits()).map(({ id }) => id)).toContain('isp')
    expect((await client.filters()).map(({ id }) => id)).toContain('isp')
    expect(await client.filterValues('unit', { search: '100', limit: 5 })).toEqual([{ value: '1001', label: '1001' }])
    // JavaScript callers can pass undefined for an option.
    const nothing = { search: undefined, limit: undefined } as object
    expect(await client.filterValues('unit', nothing)).toContainEqual({ value: '1001', label: '1001' })
  })

  it('returns the series of the API', async () => {
    const body = { ...request, chartType: 'aggregate', aggregation: 'daily', splits: ['isp'] }
    const bare = await call(`${service.addresses.api}/metric_data`, {
      method: 'POST',
      token: everything,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const series = await client.metricData({ ...request, aggregation: 'daily', splits: ['isp'] })
    expect(series).toEqual(bare.body['data'])
    expect(series[0]?.metricData[0]?.sampleCount).toBe(resultCount)
  })

  it('saves, lists, runs and deletes questions', async () => {
    const { questions } = client
    const saved = { ...request, chartType: 'aggregate', aggregation: 'daily' } as const
    const content = { name: 'Speed', request: saved, parameters: ['unit'], tags: ['weekly'] }
    expect(await questions.save('speed', content)).toEqual({ key: 'speed', version: 1 })
    expect(await questions.save('speed', { ...content, request: { ...saved, aggregation: 'total' } })).toMatchObject({
      version: 2,
    })
    expect((await questions.list()).map(({ key, version, tags }) => [key, version, tags])).toEqual([
      ['speed', 2, ['weekly']],
    ])
    expect((await questions.versions('speed')).map(({ version }) => version)).toEqual([2, 1])
    expect((await questions.read('speed', { version: 1 })).request).toEqual(saved)
    const [series] = await questions.run('speed')
    expect(series?.metricData).toMatchObject([{ sampleCount: resultCount }])
    const warnings: Warning[] = []
    const onWarnings = (all: readonly Warning[]) => void warnings.push(...all)
    expect(await questions.run('speed', { version: 1, parameters: { unit: ['5'] }, onWarnings })).toEqual([
      { metricData: [] },
    ])
    expect(warnings).toMatchObject([{ code: 'unknown_filter_value', id: 'unit' }])
    const parts: string[] = []
    for await (const bytes of questions.runAs('csv', 'speed', { from: '-2 days', to: 'now' })) {
      parts.push(new TextDecoder().decode(bytes))
    }
    expect(parts.join('')).toMatch(/^"metricValue",[^]*,500,/)
    const { id, url } = await questions.share('speed', { label: 'for the ministry' })
    expect(await (await fetch(`${url}.csv`)).text()).toBe(
      await (
        await fetch(`${service.addresses.api}/questions/speed/data?format=csv`, {
          headers: { authorization: everything },
        })
      ).text(),
    )
    expect(await questions.links('speed')).toMatchObject([{ id, label: 'for the ministry', uses: 1 }])
    await questions.revokeLink('speed', id)
    expect([(await fetch(`${url}.csv`)).status, await questions.links('speed')]).toEqual([404, []])
    await questions.delete('speed')
    await expect(questions.read('speed')).rejects.toMatchObject({ status: 404 })
  })

  it('yields streamed rows one by one, with any content', async () => {
    const sequences: (number | null)[] = []
    for await (const record of client.testData({ test: 'httpget', date: { from: '-3 days', to: 'now' } })) {
      expect(record).toMatchObject({ base: 'model "}] \\ é', target: `[{"${record.sequence}` })
      sequences.push(record.sequence)
    }
    expect(sequences.toSorted((one, other) => Number(one) - Number(other))).toEqual([...Array(resultCount).keys()])
    const points = await Array.fromAsync(client.rawMetricData({ ...request, splits: ['base'] }))
    expect(points).toHaveLength(resultCount)
    expect(points[0]).toMatchObject({ unit: '1001', base: 'model "}] \\ é' })
  })

  it("passes on the service's warnings about a filter, also of a streamed response", async () => {
    const filters = [{ id: 'base', filterType: 'exclude' as const, filterValues: ['Bücher'] }]
    const warned: Warning[] = []
    const onWarnings = (warnings: readonly Warning[]) => void warned.push(...warnings)
    await client.metricData({ ...request, aggregation: 'daily', filters }, { onWarnings })
    await Array.fromAsync(client.rawMetricData({ ...request, filters }, { onWarnings }))
    await client.metricData({ ...request, aggregation: 'daily' }, { onWarnings })
    const warning = { code: 'unknown_filter_value', message: expect.any(String), id: 'base', value: 'Bücher' }
    expect(warned).toEqual([warning, warning])
  })

  it('passes on `meta` of a response that has it', async () => {
    const found: unknown[] = []
    const onMeta = (meta: unknown) => void found.push(meta)
    await client.metricData({ ...request, aggregation: 'daily', include: ['meta'] }, { onMeta })
    await client.metricData({ ...request, aggregation: 'daily' }, { onMeta })
    expect(found).toMatchObject([{ metric: { key: request.metric } }])
  })

  it('reports the faults of a request, by field', async () => {
    const wrong = client.metricData({ ...request, aggregation: 'daily', splits: ['nothing'] })
    await expect(wrong).rejects.toBeInstanceOf(BroadgaugeError)
    await expect(wrong).rejects.toMatchObject({
      status: 422,
      code: 'VALIDATION_FAIL',
      errors: { 'splits[0]': ['The value you selected is not a valid choice.'] },
      details: { 'splits[0]': { choices: expect.arrayContaining(['isp', 'base']), reason: expect.any(String) } },
    })
    await expect(createClient({ url: service.addresses.api, token: 'x' }).metrics()).rejects.toMatchObject({
      status: 403,
    })
  })
})

describe('a request that could be expensive', () => {
  const estimate = (high: number, fits = true) => ({ rows: 9, seconds: [1, high], fits, cheaper: [] })
  async function asked(data: unknown, onExpensive: () => void): Promise<string[]> {
    const paths: string[] = []
    const stub = async (address: string | URL | Request) => {
      paths.push((address instanceof Request ? address.url : String(address)).replace('http://localhost', ''))
      return paths.length === 1 ? new Response(JSON.stringify({ data })) : new Response(JSON.stringify({ data: [] }))
    }
    const local = createClient({ url: 'http://localhost', token: 'x', fetch: stub })
    await local.metricData({ ...request, aggregation: 'daily' }, { onExpensive }).catch(() => {})
    return paths
  }
  const [path, estimatePath] = ['/metric_data', '/metric_data/estimate']

  it.each([
    [estimate(10), 0],
    [estimate(10.1), 1],
    [estimate(1, false), 1],
  ])('is estimated first: %j', async (found, calls) => {
    let called = 0
    expect(await asked(found, () => void (called += 1))).toEqual([estimatePath, path])
    expect(called).toBe(calls)
  })

  it('is not sent if the caller throws', async () => {
    const stop = () => {
      throw new Error('too expensive')
    }
    expect(await asked(estimate(60), stop)).toEqual([estimatePath])
  })
})

describe('an export', () => {
  it('is awaited, reports its progress, and has every row', async () => {
    const states: string[] = []
    const date = { from: '-3 days', to: 'now' }
    const done = await client.export.testData(
      { test: 'httpget', date },
      { onProgress: ({ status }) => states.push(status) },
    )
    expect(done).toMatchObject({ status: 'complete', rows: resultCount })
    expect(states.at(-1)).toBe('complete')
    const file = await (await fetch(done.url ?? '')).text()
    expect(file.split('\n').filter((line) => line !== '')).toHaveLength(resultCount + 1)
    expect(await client.export.read(done.id)).toMatchObject({ id: done.id, rows: resultCount })
  })
})

describe('metadata', () => {
  it('is previewed, changed and read', async () => {
    const change = { agent: { unit_id: 1001 }, metadata: { custom: { region: 'north' } } }
    expect(await client.metadata.preview(change)).toMatchObject({ matched: 1 })
    expect(await client.metadata.read({ unit: 1001 })).toMatchObject({ custom: {} })
    await client.metadata.change(change, { idempotencyKey: 'once' })
    await client.metadata.change(change, { idempotencyKey: 'once' })
    expect(await client.metadata.read({ agent: 'wb-0001' })).toMatchObject({ custom: { region: 'north' } })
    expect(await client.metadata.history({ agent: 'wb0001' })).toHaveLength(2)
    await expect(client.metadata.read({ mac: '00:00' })).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

/**
 * Returns a client of a test server. The server answers each request with the next of the given functions. The real
 * service produces these failures only under load or when its process dies. Other tests check the real service.
 */
async function failing(answers: ((response: ServerResponse) => void)[]): Promise<Client> {
  const server = createServer((_request, response) => answers.shift()?.(response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return createClient({ url: `http://127.0.0.1:${port}`, token: 't', retries: 2 })
}

/**
 * Resets the connection after a pause, so that the client has read the written bytes first. A reset discards bytes that
 * the client has not read.
 */
const resetSoon = (response: ServerResponse) => void setTimeout(() => response.socket?.resetAndDestroy(), 200)

describe('on failures', () => {
  const busy = (response: ServerResponse) =>
    void response.writeHead(429, { 'retry-after': '0' }).end('{"code":"TOO_MANY_REQUESTS","message":"busy"}')

  it('retries if the service is busy or disconnects, and finally throws', async () => {
    const recovering = await failing([
      busy,
      (response) => void response.destroy(),
      (response) => void response.end('{"code":"OK","message":"","data":["httpget"]}'),
    ])
    expect(await recovering.tests()).toEqual(['httpget'])
    await expect((await failing([busy, busy, busy])).tests()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  })

  it.each([
    ['ended', (response: ServerResponse, half: string) => void response.end(half)],
    // The service also resets the connection if it cannot complete a response.
    ['reset', (response: ServerResponse, half: string) => void response.write(half, () => resetSoon(response))],
  ])('never treats an incomplete response as complete: %s', async (_how, breakOff) => {
    const half = '{"code":"OK","message":"","data":[{"sequence":1},{"sequence":2'
    const cut = await failing([(response) => breakOff(response, half)])
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const row of cut.testData({ test: 'httpget', date: { from: 'now', to: 'now' } })) seen.push(row)
    })()
    await expect(reading).rejects.toBeInstanceOf(IncompleteAnswerError)
    expect(seen).toEqual([{ sequence: 1 }])
  })

  it('stops when aborted, also while it waits', async () => {
    const slow = await failing([(response) => void response.writeHead(503, { 'retry-after': '30' }).end('{}')])
    const stopping = new AbortController()
    const asked = slow.tests({ signal: stopping.signal })
    setTimeout(() => stopping.abort(new Error('enough')), 50)
    await expect(asked).rejects.toThrow('enough')
  })
})

/** Asynchronous, because the service under test runs in this process. `execFileSync` would block the service. */
const run = promisify(execFile)

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'broadgauge-client-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has the types of the OpenAPI document', async () => {
    await run(process.execPath, ['clients/typescript/generate.ts', join(folder, 'generated')])
    const read = (path: string) => readFileSync(path, 'utf8')
    const committed = read('clients/typescript/src/generated/types.ts')
    expect(committed, 'run npm run generate -w clients/typescript').toBe(read(join(folder, 'generated/types.ts')))
  })

  it('runs the example of its README, built and packed', { timeout: 120_000 }, async () => {
    const packed = await run('npm', ['pack', '--pack-destination', folder, '--silent', '-w', 'clients/typescript'])
    const file = packed.stdout.trim().split('\n').at(-1) ?? ''
    await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, join(folder, file)])
    const example = /```ts\n([\s\S]*?)```/.exec(readFileSync('clients/typescript/README.md', 'utf8'))?.[1] ?? ''
    writeFileSync(join(folder, 'example.mjs'), example)
    const env = { ...process.env, BROADGAUGE_CALLER_URL: service.addresses.api, BROADGAUGE_CALLER_TOKEN: everything }
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: folder, env })
    expect(stdout).toContain(`${resultCount} results`)
    expect(stdout).toContain("region: 'north'")
  })
})
