import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { reloadAgents } from '../../kit/facts.ts'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import { dumpStores, restoreStores, type ReleaseDump } from './release-dump.ts'

/**
 * Each folder belongs to a release: `stores.json.gz`, and `answers.json.gz`, the responses of the release
 * over these stores. BROADGAUGE_TEST_RECORD=1.2.3 records the folder of a new release.
 */
const releases = join(import.meta.dirname, 'releases')
const recorded = process.env['BROADGAUGE_TEST_RECORD']
const pathOf = (release: string, file: string) => join(releases, release, file)

const packed = (value: unknown): Buffer => gzipSync(JSON.stringify(value), { level: 9 })
const unpacked = (release: string, file: string): unknown =>
  JSON.parse(String(gunzipSync(readFileSync(pathOf(release, file)))))

type Answer = { request: Asked; status: number; body: unknown }
type Asked = { method: string; path: string; body?: unknown }
type Recorded = { token: string; answers: Answer[] }

const worlds: World[] = []
const open = async () => {
  const world = await openWorld({ clickhouse: true })
  worlds.push(world)
  return world
}
afterAll(() => Promise.all(worlds.map((world) => world.close())), 60_000)

const time = { from: '2026-04-13 00:00', to: '2026-04-15 23:59' }
const chart = { chartType: 'aggregate', aggregation: 'daily', normalised: true, prefilter: true, time }
const post = (path: string, body: unknown): Asked => ({ method: 'POST', path, body })
const requests: readonly Asked[] = [
  ...['httpget', 'httppost', 'jitterDown'].flatMap((metric) => [
    post('/metric_data', { metric, ...chart }),
    post('/metric_data', { metric, ...chart, aggregation: 'total', splits: ['isp'] }),
  ]),
  post('/metric_data', { metric: 'httpget', ...chart, aggregation: 'hourly', splits: ['package'] }),
  post('/test_data', { test: 'httpget', date: { from: '2026-04', to: '2026-04' } }),
  ...['agent/synthetic-0000002', 'unit/52203890000002', 'mac/b2cc04000002'].map((one) => ({
    method: 'GET',
    path: `/metadata/${one}`,
  })),
]

async function ask(url: string, authorization: string, request: Asked): Promise<Answer> {
  const { method, path, body } = request
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await call(`${url}${path}`, { method, token: authorization, ...sent })
  return { request, status: answer.status, body: answer.body }
}

/** Keeps twelve digits of fractions: a newer version may add up floating-point numbers in another order. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, one: unknown) =>
    typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(12)) : one,
  )

it.runIf(recorded !== undefined)('records a release', { timeout: 300_000 }, async () => {
  const world = await open()
  await organisation(world, 'regulator')
  const own = `Bearer ${await token(world, 'regulator', ['data:read', 'metadata:read', 'metadata:write'])}`
  await synthPanel(world, {
    agents: 12,
    days: 3,
    owner: 'regulator',
    tests: ['httpget', 'httppost', 'jitter'],
  })
  const { addresses } = await world.serve()
  const answers: Answer[] = []
  for (const request of requests) answers.push(await ask(addresses.api, own, request))
  expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200))
  mkdirSync(join(releases, recorded ?? ''), { recursive: true })
  writeFileSync(pathOf(recorded ?? '', 'stores.json.gz'), packed(await dumpStores(world)))
  writeFileSync(pathOf(recorded ?? '', 'answers.json.gz'), packed({ token: own, answers }))
})

const all = readdirSync(releases)

it('has a recorded release', () => expect(all).toContain('0.1.0'))

// The stores of a release were recorded on one node.
describe.skipIf(inject('run').shards > 1)('an upgrade', () => {
  it.each(all)('from %s migrates, and the old rows give the same answers', { timeout: 180_000 }, async (release) => {
    const dump = unpacked(release, 'stores.json.gz') as ReleaseDump
    const { token: own, answers } = unpacked(release, 'answers.json.gz') as Recorded
    const world = await open()
    await restoreStores(world, dump)
    await migrate(readSettings(world.environment))
    await reloadAgents(world)
    const { addresses } = await world.serve()
    expect(answers.length).toBeGreaterThan(10)
    for (const { request, status, body } of answers) {
      const now = await ask(addresses.api, own, request)
      expect(now.status, JSON.stringify(request)).toBe(status)
      // A newer version may add fields to a response.
      expect(rounded(now.body), JSON.stringify(request)).toMatchObject(rounded(body) as object)
    }
  })
})
