import { afterAll, beforeAll, expect, it } from 'vitest'
import { deepestFilters } from '../../../compile/filters/deepest-filters.ts'
import { rollDice } from '../../../faults/dice.ts'
import { isKept, type Tree } from './evaluate.ts'
import { openTreeWorld, type TreeWorld } from './tree-world.ts'

let opened: TreeWorld
beforeAll(async () => {
  opened = await openTreeWorld(rollDice(7), 200)
}, 120_000)
afterAll(() => opened?.close())

const metric = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  percentiles: 'none',
  time: { from: '2026-02-01', to: '2026-04-01' },
}
const records = { test: 'httpget', date: { from: '2026-02', to: '2026-04' } }

type Point = { sampleCount: number; metricValue: number; comparison?: { base: number } }

async function pointOf(request: object): Promise<Point | undefined> {
  const { status, text, body } = await opened.post('/metric_data', { ...metric, ...request })
  expect(status, text).toBe(200)
  return (body['data'] as { metricData: Point[] }[])[0]?.metricData[0]
}

const isp: Tree = { id: 'isp', filterType: 'matches', filterValues: ['(?i)^acme$'] }
const trees: readonly Tree[] = [
  { any: [isp, { id: 'custom.floor', filterType: 'at_least', filterValues: ['2.5'] }] },
  { not: { all: [{ id: 'package', filterType: 'ends_with', filterValues: ['100'] }, { not: isp }] } },
  {
    any: [
      { id: 'unit', filterType: 'is_missing' },
      { id: 'target', filterType: 'contains', filterValues: ["'", '\n'] },
    ],
  },
]

it('keeps the same results in points, records, estimates and files', async () => {
  for (const tree of trees) {
    const filters = [tree]
    const expected = opened.rows.filter((row) => isKept(row, tree)).length
    expect(expected).toBeGreaterThan(0)
    expect(expected).toBeLessThan(200)
    expect((await pointOf({ filters }))?.sampleCount).toBe(expected)
    const found = await opened.post('/test_data', { ...records, filters })
    expect(found.body['data']).toHaveLength(expected)
    for (const path of ['/test_data.csv', '/metric_data.csv']) {
      const body = path === '/test_data.csv' ? records : { ...metric, chartType: 'raw', percentiles: null }
      const file = await opened.post(path, { ...body, filters })
      expect(file.body['data']).toMatchObject({ status: 'complete', rows: expected })
    }
    for (const [path, body] of [
      ['/metric_data/estimate', metric],
      ['/test_data/estimate', records],
    ] as const) {
      expect((await opened.post(path, { ...body, filters })).body).toMatchObject({ data: { from: 'results' } })
    }
  }
}, 120_000)

it('compares with a base of groups', async () => {
  const [one, other] = trees
  const base = await pointOf({ filters: [other] })
  const point = await pointOf({ filters: [one], compare: { filters: [other] } })
  expect(point?.comparison?.base).toBeCloseTo(base?.metricValue ?? 0, 9)
  expect(point?.sampleCount).toBe((await pointOf({ filters: [one] }))?.sampleCount)
})

it('weights the hours that a group by local time keeps, as a list of them', async () => {
  const hours = ['8', '9', '20']
  const list = { id: 'hour_of_day', filterType: 'include', filterValues: hours }
  const expected = await pointOf({ filters: [list], normalised: true })
  const same: Tree[] = [
    { any: hours.map((hour) => ({ ...list, filterValues: [hour] })) },
    { not: { ...list, filterType: 'exclude' } },
    { id: 'hour_of_day', filterType: 'matches', filterValues: ['^[89]$', '^20$'] },
    { all: [list, { id: 'peak', filterType: 'is_set' }] },
    { not: { any: [{ not: list }, { id: 'day_of_week', filterType: 'is_missing' }] } },
  ]
  for (const filter of same) expect(await pointOf({ filters: [filter], normalised: true })).toEqual(expected)
})

it('fills a preset, and defines peak in groups by the window', async () => {
  const preset = { preset: 'fcc.loss-bands', metric: 'packetLoss', filters: [{ any: [isp] }] }
  expect((await opened.post('/metric_data', { ...metric, percentiles: null, ...preset })).status).toBe(200)
  const window = { weekdays: [6, 7], hours: [10, 11, 12, 13] }
  const peak: Tree = { not: { not: { id: 'peak', filterType: 'include', filterValues: ['peak'] } } }
  const windowed = await pointOf({ window })
  expect((await pointOf({ window, filters: [peak] }))?.sampleCount).toBe(windowed?.sampleCount)
})

it('refuses a pattern that RE2 cannot compile, with its message and path', async () => {
  const broken = (pattern: string) => ({ id: 'target', filterType: 'matches', filterValues: ['fine', pattern] })
  const named = { id: 'isp', filterType: 'matches', filterValues: ['a{1001}'] }
  const filters = [{ any: [isp, { not: broken('(') }] }, named]
  const errors = {
    'filters[0][any][1][not][filterValues][1]': ['This pattern is not valid: missing ): (.'],
    'filters[1][filterValues][0]': ['This pattern is not valid: invalid repetition size: {1001}.'],
  }
  for (const [path, body] of [
    ['/metric_data', metric],
    ['/metric_data/estimate', metric],
    ['/metric_data.csv', metric],
    ['/test_data', records],
    ['/test_data/estimate', records],
    ['/test_data_download', records],
  ] as const) {
    expect(await opened.post(path, { ...body, filters }), path).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_FAIL', errors },
    })
  }
  const both = { ...metric, filters: [broken('[')], compare: { filters: [{ all: [broken('*')] }] } }
  expect((await opened.post('/metric_data', both)).body).toMatchObject({
    code: 'VALIDATION_FAIL',
    errors: {
      'filters[0][filterValues][1]': ['This pattern is not valid: missing ]: [.'],
      'compare[filters][0][all][0][filterValues][1]': [
        'This pattern is not valid: no argument for repetition operator: *.',
      ],
    },
  })
}, 60_000)

it('warns of unknown values inside groups, and of no pattern', async () => {
  const unknown: Tree = { id: 'isp', filterType: 'include', filterValues: ['Acme', 'Nobody'] }
  const filters = [{ any: [{ not: unknown }, { id: 'isp', filterType: 'contains', filterValues: ['zzz'] }] }]
  const { body } = await opened.post('/metric_data', { ...metric, filters, panel: 'homes' })
  const warning = expect.objectContaining({ code: 'unknown_filter_value', id: 'isp', value: 'Nobody' })
  const ofValues = (list: unknown) => (list as { code: string }[]).filter(({ code }) => code === 'unknown_filter_value')
  expect(ofValues(body['warnings'])).toEqual([warning])
  const { headers } = await opened.post('/test_data', { ...records, filters })
  expect(ofValues(JSON.parse(headers.get('broadgauge-warnings') ?? '[]'))).toEqual([warning])
})

it('refuses dimensions by local time, and those of other tests, for test data', async () => {
  const leaf = (id: string) => ({ id, filterType: 'is_set' })
  const { body } = await opened.post('/test_data', {
    ...records,
    filters: [leaf('peak'), { not: leaf('carrier_name') }],
  })
  expect(Object.keys(body['errors'] as object)).toEqual(['filters[0][id]', 'filters[1][not][id]'])
})

it('answers the largest filters', async () => {
  // The default limit of a body is 256 KiB.
  const filters = deepestFilters(300)
  for (const [path, body] of [
    ['/metric_data', metric],
    ['/test_data', records],
  ] as const) {
    const startedAt = performance.now()
    const { status, text } = await opened.post(path, { ...body, filters })
    console.log(`${path} with 100 conditions and 30,000 values: ${(performance.now() - startedAt).toFixed(0)} ms`)
    expect([status, text.slice(0, 300)]).toMatchObject([200, expect.any(String)])
  }
}, 120_000)
