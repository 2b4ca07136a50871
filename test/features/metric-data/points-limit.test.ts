import { afterAll, beforeAll, expect, it } from 'vitest'
import { toEngineFault } from '../../../src/engine/clickhouse/engine-fault.ts'
import { checkPointCount } from '../../../src/envelope/metric-points.ts'
import { call, type Answer } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let base: string
let secret: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  secret = await token(world, 'acme')
  // Store one result per second, each with its own target. So a range of n seconds has n groups.
  await world.engine('ADMIN').nodes[0]?.command({
    query: `INSERT INTO ${world.name}.ping (panel, agent, dtime, target, rtt_avg, successes, failures)
      SELECT 1, 1, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(number), concat('t', toString(number)), 1000, 1, 0
      FROM numbers(100001) SETTINGS distributed_foreground_insert = 1`,
  })
  base = (await world.serve({ BROADGAUGE_BODY_BYTES_MAX: String(1024 * 1024) })).addresses.api
}, 60_000)
afterAll(() => world.close())

const ask = (to: string, more: object = {}): Promise<Answer> =>
  call(`${base}/metric_data`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'ping',
      chartType: 'aggregate',
      aggregation: 'total',
      normalised: false,
      prefilter: false,
      percentiles: 'none',
      splits: ['target'],
      time: { from: '2026-01-01 00:00', to },
      ...more,
    }),
  })

it('answers a hundred thousand points completely, and refuses one more with advice on what to narrow', async () => {
  expect((await ask('2026-01-02 03:46:39')).body['data']).toHaveLength(100_000)
  const refused = await ask('2026-01-02 03:46:40')
  expect([refused.status, refused.body]).toEqual([
    422,
    {
      code: 'QUERY_TOO_LARGE',
      message: 'The answer would have more than 100,000 points; narrow the split "target" or add a filter.',
    },
  ])
}, 60_000)

it('names the splits of a total as what to narrow, because a total has no buckets', () => {
  const rows = Array.from({ length: 100_001 }, (_, index) => [`a${index % 401}`, `b${index % 400}`, index, 1])
  const splits = [{ id: 'agent' }, { id: 'target' }]
  expect(() => checkPointCount(splits, ['split1', 'split2', 'metricValue', 'sampleCount'], rows, 100_000)).toThrow(
    'narrow the split "agent"',
  )
  expect(() => checkPointCount(splits, ['split1', 'split2', 'dtime', 'metricValue'], rows, 100_000)).toThrow(
    'narrow the time range',
  )
})

it.each(["'", '"', '\\', '\n', 'ж', '😀'])('finds one of a thousand long values of %j', async (character) => {
  const others = Array.from({ length: 999 }, (_, index) => `${index}${character.repeat(100)}`)
  const longest = character.repeat(20_000)
  for (const values of [
    ['t1', ...others],
    ['t1', longest],
  ]) {
    const answer = await ask('2026-01-02 00:00', {
      splits: [],
      filters: [{ id: 'target', filterType: 'include', filterValues: values }],
    })
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"sampleCount":1')])
  }
  const refused = await ask('2026-01-02 00:00', {
    filters: [{ id: 'target', filterType: 'include', filterValues: ['t1', `${longest}x`] }],
  })
  expect([refused.status, refused.body['errors']]).toEqual([422, { 'filters[0][filterValues][1]': ['Invalid value'] }])
})

it.each(['aggregate', 'raw'])(
  'answers a query over a hundred years: %s',
  async (chartType) => {
    const time = { from: '1970-01-01 00:00', to: '2099-12-31 23:59:59' }
    const filters = [{ id: 'target', filterType: 'include', filterValues: ['t1', 't2'] }]
    const whole = chartType === 'raw' ? { aggregation: undefined, percentiles: undefined } : {}
    const answer = await ask('', { chartType, time, filters, splits: [], ...whole })
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining(chartType === 'raw' ? '2026-01-01T00:00:02' : '"sampleCount":2'),
    ])
  },
  60_000,
)

/**
 * ClickHouse's DateTime covers 1970 to 2106. If a computation went beyond 2106, it would wrap around and find results
 * of 2026.
 */
it.each([
  ['0001-01-01 00:00', '1969-12-31 23:59:59', 0],
  ['2107-01-01 00:00', '9999-12-31 23:59:59', 0],
  ['0001-01-01 00:00', '9999-12-31 23:59:59', 2],
  ['-99999 days', '+99999 days', 2],
])('finds from %s to %s exactly the stored results: %i', { timeout: 60_000 }, async (from, to, count) => {
  const filters = [{ id: 'target', filterType: 'include', filterValues: ['t1', 't2'] }]
  const request = { time: { from, to }, filters, splits: [] }
  const total = await ask('', request)
  expect([total.status, total.text]).toEqual([
    200,
    expect.stringContaining(count === 0 ? '"data":[{"metricData":[]}]' : `"sampleCount":${count}`),
  ])
  const raw = await ask('', { ...request, chartType: 'raw', aggregation: undefined, percentiles: undefined })
  expect(raw.body['data']).toEqual([{ metricData: Array(count).fill(expect.objectContaining({ metricValue: 1 })) }])
})

it.each([
  ['158', 'reads more rows than its limit'],
  ['159', 'takes longer than its time limit'],
  ['241', 'needs more memory than its limit'],
  ['307', 'reads more bytes than its limit'],
  ['396', 'has a larger result than its limit'],
])('names the limit that a query exceeds: %s', (code, what) => {
  const error = Object.assign(new Error('the engine says so'), { code })
  expect(toEngineFault(error)).toMatchObject({
    code: 'QUERY_TOO_LARGE',
    message: `The query ${what}; narrow its dates, panels, splits or filters.`,
  })
})
