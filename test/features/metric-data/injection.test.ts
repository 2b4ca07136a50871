import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { storeEveryTest } from './every-test.ts'
import { injectionStrings } from './injection-strings.ts'

let world: World
let service: Service
let data: string
let metadata: string
const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const strings = injectionStrings(24_000)
/** Strings that both stores can store. The service refuses other strings as values, and the test checks that too. */
const storable = strings.filter((text) => !text.includes('\0'))

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox', 'mobile'])
  await storeEveryTest(world, 'homes', ['2026-03-01 10:00:00.000', '2026-03-02 11:00:00.000'])
  data = await token(world, 'acme')
  metadata = `Bearer ${await token(world, 'acme', ['metadata:write'])}`
  service = await world.serve({ BROADGAUGE_BODY_BYTES_MAX: String(16 * 1024 * 1024) })
}, 120_000)
afterAll(() => world.close())

/** ClickHouse plans a statement with one number faster than one with all. */
const proper = {
  fields: ['sampleCount'],
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  time: { from: '2026-03-01 00:00', to: '2026-03-31 00:00' },
}

async function post(body: Record<string, unknown>): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { 'content-type': 'application/json' }
  return call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: data,
    headers,
    body: JSON.stringify(body),
  })
}

const samples = (body: Record<string, unknown>): number =>
  (body['data'] as { metricData: { sampleCount: number }[] }[])
    .flatMap(({ metricData }) => metricData)
    .reduce((sum, one) => sum + one.sampleCount, 0)

function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

const filterable = [
  'isp',
  'package',
  'country',
  'agent',
  'unit',
  'base',
  'target',
  'target_set',
  'threads',
  'ip_version',
]

it(`applies a filter by any of ${storable.length} strings literally`, { timeout: 600_000 }, async () => {
  let turn = 0
  for (const filterValues of chunks(storable, 1_000)) {
    const ids = deep ? filterable : [filterable[(turn += 1) % filterable.length] ?? 'isp', 'target']
    const filters = [...new Set(ids)].map((id) => ({ id, filterType: 'exclude', filterValues }))
    // Every filter must keep both results.
    const excluded = await post({ ...proper, filters })
    expect(excluded).toMatchObject({ status: 200 })
    expect(samples(excluded.body), `exclude by ${ids.join()}`).toBe(2)
    for (const id of ids) {
      const included = await post({ ...proper, filters: [{ id, filterType: 'include', filterValues }] })
      expect(included, id).toMatchObject({ status: 200, body: { data: [{ metricData: [] }] } })
    }
  }
})

/** Text that stands for itself in a pattern of RE2. */
const quoted = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`)

it(
  `applies text filters and groups with any of ${storable.length} strings literally`,
  { timeout: 600_000 },
  async () => {
    let turn = 0
    let requests = 0
    const expectSamples = async (filters: object[], expected: number) => {
      requests += 1
      const { status, body } = await post({ ...proper, filters })
      expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
      expect(samples(body), JSON.stringify(filters).slice(0, 200)).toBe(expected)
    }
    for (const chunk of chunks(storable, 1_000)) {
      const some = chunk.filter((text) => text !== '')
      const id = filterable[(turn += 1) % filterable.length] ?? 'isp'
      // Longer texts than any value of the world, so that no text is a part of one.
      const filterValues = some.map((text) => `${text}${text}~injected~${text}`)
      const ofTexts = ['starts_with', 'ends_with', 'contains'].map((filterType) => ({ id, filterType, filterValues }))
      const patterns = some.map((text) => `^${quoted(text)}~injected$`).filter((text) => Array.from(text).length <= 200)
      const matches = (values: string[]) => ({ id, filterType: 'matches', filterValues: values })
      // None of these filters keeps a result, so their disjunction keeps none, and all their negations keep every result.
      const none = [...ofTexts, matches(patterns.slice(0, 100))]
      await expectSamples([none[turn % none.length] ?? {}], 0)
      await expectSamples(
        [
          {
            any: [
              ...none,
              { id, filterType: 'include', filterValues: chunk },
              { not: { id, filterType: 'exclude', filterValues: chunk } },
            ],
          },
        ],
        0,
      )
      await expectSamples(
        none.map((one) => ({ any: [{ not: { any: [one] } }] })),
        2,
      )
      for (const values of chunks(deep ? patterns.slice(100) : [], 100)) {
        await expectSamples([matches(values)], 0)
        await expectSamples([{ not: matches(values) }], 2)
      }
    }
    console.log(`${requests} requests with strings in text filters and groups`)
  },
)

it('answers a pattern of any of these strings, or refuses it by its path', { timeout: 600_000 }, async () => {
  const some = storable.filter((text, index) => (deep || index % 100 === 0) && Array.from(text).length <= 200)
  const counts = { answered: 0, refused: 0 }
  for (const patterns of chunks(some, 20)) {
    const request = (texts: readonly string[]) => ({
      ...proper,
      filters: [
        {
          any: texts.map((pattern) => ({
            id: filterable[pattern.length % filterable.length],
            filterType: 'matches',
            filterValues: ['x', pattern],
          })),
        },
      ],
    })
    const { status, body } = await post(request(patterns))
    expect([200, 422], JSON.stringify([patterns, body])).toContain(status)
    const faults = Object.keys(status === 422 ? (body['errors'] as object) : {})
    const refused = patterns.filter((_, index) => faults.includes(`filters[0][any][${index}][filterValues][1]`))
    expect(refused, JSON.stringify([patterns, body])).toHaveLength(faults.length)
    const others = patterns.filter((pattern) => !refused.includes(pattern))
    const answer = status === 200 ? { status, body } : await post(request(others))
    if (others.length > 0) {
      expect(answer.status, JSON.stringify([others, answer.body])).toBe(200)
      expect([0, 2]).toContain(samples(answer.body))
    }
    counts.answered += others.length
    counts.refused += refused.length
  }
  console.log(`patterns: ${JSON.stringify(counts)}`)
})

/**
 * Numbers that a column of `bits` bits would truncate to `number`, other notations of `number`, and extreme numbers.
 */
const almost = (number: bigint, bits: bigint): string[] => [
  ...[number + 2n ** bits, number - 2n ** bits, number + 2n ** 64n].map(String),
  ...['0N', 'N.0', 'Ne0', '+N', ' N', 'N ', '0xN'].map((form) => form.replace('N', String(number))),
  '-1',
  '9007199254740991',
  '9007199254740993',
  '18446744073709551615',
  '99999999999999999999',
]

it.each([
  ['threads', 16n],
  ['ip_version', 8n],
  ['unit', 32n],
] as const)('finds a number of %s only by its own notation', async (id, bits) => {
  const [agent] = await runSql<{ unit_id: string }>(
    world.superuserUrl,
    `SELECT unit_id FROM agents WHERE agent_id = 'homes-whitebox'`,
  )
  const number = id === 'unit' ? BigInt(agent?.unit_id ?? 0) : 4n
  const found = async (filterType: string, ...filterValues: string[]) => {
    const { status, body } = await post({ ...proper, filters: [{ id, filterType, filterValues }] })
    return [filterValues, status, samples(body)]
  }
  const itself = String(number)
  expect(await found('include', itself)).toEqual([[itself], 200, 2])
  expect(await found('exclude', itself)).toEqual([[itself], 200, 0])
  const others = almost(number, bits)
  for (const value of others) expect(await found('include', value)).toEqual([[value], 200, 0])
  expect(await found('exclude', ...others)).toEqual([others, 200, 2])
  expect(await found('include', ...others, itself)).toEqual([[...others, itself], 200, 2])
})

it('refuses each of these strings as the id of a filter or a split', { timeout: 600_000 }, async () => {
  for (const ids of chunks(strings, 50)) {
    const filters = ids.map((id) => ({ id, filterType: 'include', filterValues: ['x'] }))
    const { status, body } = await post({ ...proper, filters })
    expect(status).toBe(422)
    expect(Object.keys(body['errors'] as object)).toHaveLength(ids.length)
  }
  for (const [index, splits] of [...chunks(strings, 4)].entries()) {
    if (!deep && index % 20 !== 0) continue
    expect(await post({ ...proper, splits })).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAIL' } })
  }
})

const positions: Record<string, (text: string) => Record<string, unknown>> = {
  metric: (text) => ({ metric: text }),
  chartType: (text) => ({ chartType: text }),
  aggregation: (text) => ({ aggregation: text }),
  'time[from]': (text) => ({ time: { from: text, to: 'now' } }),
  'time[to]': (text) => ({ time: { from: '2026-03-01 00:00', to: text } }),
  panel: (text) => ({ panel: text }),
  'panel[0]': (text) => ({ panel: [text] }),
  percentiles: (text) => ({ percentiles: text }),
  'filters[0][filterType]': (text) => ({ filters: [{ id: 'isp', filterType: text, filterValues: ['x'] }] }),
  normalised: (text) => ({ normalised: text }),
  'filters[0][any][0][id]': (text) => ({ filters: [{ any: [{ id: text, filterType: 'is_set' }] }] }),
  'filters[0][not][filterType]': (text) => ({
    filters: [{ not: { id: 'isp', filterType: text, filterValues: ['x'] } }],
  }),
  'filters[0][all][0][filterValues][0]': (text) => ({
    filters: [{ all: [{ id: 'unit', filterType: 'above', filterValues: [`${text}x`] }] }],
  }),
  'compare[filters][0][not][id]': (text) => ({ compare: { filters: [{ not: { id: text, filterType: 'is_set' } }] } }),
}

it.each(Object.keys(positions))(
  'refuses these strings as %s, and names the field',
  { timeout: 600_000 },
  async (path) => {
    const some = deep ? strings : strings.filter((_, index) => index % 240 === 0)
    for (const text of some) {
      const { status, body } = await post({ ...proper, ...positions[path]?.(text) })
      expect(status, text).toBe(422)
      expect(Object.keys(body['errors'] as object)).toEqual([path])
    }
  },
)

it('shows custom fields of any name under that name, and their values unchanged', { timeout: 600_000 }, async () => {
  const nameable = storable.filter((text) => /\p{L}/u.test(text) && !/\p{Cc}/u.test(text) && text.isWellFormed())
  const keys = nameable.filter((_, index) => index % Math.ceil(nameable.length / (deep ? 400 : 40)) === 0)
  const custom = Object.fromEntries(keys.map((key, index) => [key, nameable[index * 13] ?? 'x']))
  const put = await call(`${service.addresses.api}/metadata`, {
    method: 'PUT',
    token: metadata,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      agent: { agent_id: 'homes-whitebox' },
      metadata: { custom },
      backdate_from: Math.floor(Date.now() / 1000),
    }),
  })
  expect(put.status).toBe(200)
  await storeEveryTest(world, 'homes', [`${new Date().toISOString().slice(0, 10)} 00:00:00.000`])
  await settle(world)
  for (const some of chunks(keys, 4)) {
    const time = { from: '-1 days', to: '+1 days' }
    const splits = some.map((key) => `custom.${key}`)
    const { status, body } = await post({ ...proper, time, splits })
    expect(status, splits.join()).toBe(200)
    const shown = Object.fromEntries(some.map((key) => [`custom.${key}`, custom[key]]))
    expect(body['data']).toMatchObject([{ metricData: [shown] }])
  }
})
