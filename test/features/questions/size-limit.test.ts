import { afterAll, beforeAll, expect, it } from 'vitest'
import { questionLimits } from '../../../src/check/question/content.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { bothScopes } from './question-world.ts'

/** One result per second, each with its own target of 400 characters. */
const count = 100_001
let world: World
let base: string
let authorization: string

const request = {
  metric: 'ping',
  normalised: false,
  prefilter: false,
  splits: ['target'],
  time: { from: '2026-01-01', to: '2026-01-31' },
}
const lastOf = (points: number): string =>
  `to=${encodeURIComponent(new Date(Date.UTC(2026, 0, 1) + (points - 1) * 1_000).toISOString().replace('T', ' ').slice(0, 19))}`

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  authorization = `Bearer ${await token(world, 'acme', bothScopes)}`
  await world.engine('ADMIN').nodes[0]?.command({
    query: `INSERT INTO ${world.name}.ping (panel, agent, dtime, target, rtt_avg, successes, failures)
      SELECT 1, 1, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(number), leftPad(toString(number), 400, 'x'),
        1000, 1, 0
      FROM numbers(${count}) SETTINGS distributed_foreground_insert = 1`,
  })
  base = (await world.serve()).addresses.api
  const fields = { percentiles: 'none', fields: ['metricValue'] }
  const questions = {
    aggregates: { ...request, ...fields, chartType: 'aggregate', aggregation: 'total' },
    raw: { ...request, chartType: 'raw' },
    'raw-short': { ...request, chartType: 'raw', splits: [] },
  }
  for (const [key, saved] of Object.entries(questions)) {
    const { status } = await fetch(`${base}/questions/${key}`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: key, request: saved }),
    })
    expect(status).toBe(200)
  }
}, 60_000)
afterAll(() => world.close())

async function run(path: string): Promise<{ status: number; length: number; text: string }> {
  const answer = await fetch(`${base}/questions/${path}`, { headers: { authorization } })
  const text = await answer.text()
  expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(text))
  return { status: answer.status, length: Buffer.byteLength(text), text }
}

const linesOf = (text: string): number => text.split('\r\n').length - 1

it('completes a hundred thousand points before it sends them, and refuses one more', async () => {
  const whole = await run(`aggregates/data?format=csv&${lastOf(count - 1)}`)
  expect([whole.status, linesOf(whole.text)]).toEqual([200, count])
  expect(whole.length).toBeGreaterThan(questionLimits.rawBytesMax)
  const refused = await run(`aggregates/data?format=csv&${lastOf(count)}`)
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('QUERY_TOO_LARGE')])
}, 60_000)

it('completes raw points before it sends them, and refuses those that do not fit into its memory', async () => {
  const whole = await run('raw-short/data?format=csv')
  expect([whole.status, linesOf(whole.text)]).toEqual([200, count + 1])
  const fits = await run(`raw/data?format=ndjson&${lastOf(60_000)}`)
  expect([fits.status, fits.text.split('\n').length - 1]).toEqual([200, 60_000])
  for (const format of ['json', 'csv', 'ndjson', 'arrow']) {
    const refused = await run(`raw/data?format=${format}`)
    expect([format, refused.status, refused.text]).toEqual([format, 422, expect.stringContaining('QUERY_TOO_LARGE')])
  }
}, 60_000)
