import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { note, packages, panelOf, say, subscribe } from './values-world.ts'

let world: World
let service: Service
let reader: string

const result = (agent: string, target: string, more = {}) => ({
  agent,
  dtime: '2026-01-02 10:00:00.000',
  target,
  bytes_sec: 1_000_000,
  ...more,
})

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['acme', 'rival', 'watcher']) await organisation(world, key)
  await panelOf(world, 'homes', 'acme', [
    { agent_id: 'AB:01', unit_id: '12', base: 'Router-X', country: 'GB' },
    { agent_id: 'ab-02', unit_id: '120', base: 'router-y', country: 'FR' },
  ])
  await panelOf(world, 'secret', 'rival', [{ agent_id: 'ab04', unit_id: '1200', base: 'Router-Secret', country: 'US' }])
  await subscribe(world, 'homes', 'watcher')
  await packages(world, ['Northnet:Fibre 100', 'Northnet:Fibre 500', 'Southnet:Copper'])
  const said = { from_day: '2026-01-01', isp: 'Northnet' }
  await say(world, 'homes', [
    { ...said, agent_id: 'ab-02', package: 'Fibre 100', custom: { floor: 7, region: 'north' } },
    { ...said, agent_id: 'ab-02', package: 'Fibre 500', custom: { region: 'south' }, from_day: '2026-02-01' },
  ])
  await say(world, 'secret', [
    { agent_id: 'ab04', from_day: '2026-01-01', isp: 'Southnet', package: 'Copper', custom: { region: 'hidden' } },
  ])
  await storeFacts(world, 'httpget', [
    result('AB:01', 'N1.example.net', { threads: 3, ip_version: 4, target_group: 'off-net' }),
    result('ab04', 'n3.secret.net', { threads: 5, ip_version: 6, target_group: 'hidden' }),
  ])
  await storeFacts(world, 'ping', [{ agent: 'ab-02', dtime: '2026-01-02 10:00:00.000', target: 'ping.n1.net' }])
  reader = await token(world, 'watcher')
  service = await world.serve()
  await note(world)
}, 120_000)
afterAll(() => world.close())

type Warning = { code: string; message: string; id?: string; value?: string }
type Values = Record<string, readonly (string | number)[]>

const filtersOf = (values: Values, filterType = 'include') =>
  Object.entries(values).map(([id, filterValues]) => ({ id, filterType, filterValues }))

const ask = (values: Values, more: Record<string, unknown> = {}, path = '/metric_data'): Promise<Answer> =>
  call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: reader,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: false,
      time: { from: '2026-01-02', to: '2026-01-02' },
      filters: filtersOf(values),
      ...more,
    }),
  })

async function warningsOf(...given: Parameters<typeof ask>): Promise<Warning[] | undefined> {
  const answer = await ask(...given)
  expect(answer.status, answer.text).toBe(200)
  return answer.body['warnings'] as Warning[] | undefined
}

const unknown = (id: string, value: string): Warning => ({
  code: 'unknown_filter_value',
  message: 'No agent or result you can see has this value.',
  id,
  value,
})

it('does not warn about a value that an agent or a result has, or has had', async () => {
  const [northnet] = await runSql<{ id: number }>(world.superuserUrl, `SELECT id FROM isps WHERE name = 'Northnet'`)
  const known: Values = {
    isp: ['Northnet', String(northnet?.id)],
    package: ['Northnet:Fibre 100', 'Northnet:Fibre 500'],
    country: ['GB', 'FR'],
    agent: ['AB:01', 'ab-02'],
    unit: ['12', 120],
    base: ['Router-X'],
    target: ['N1.example.net', 'ping.n1.net'],
    target_set: ['off-net'],
    threads: [3],
    ip_version: ['4'],
    'custom.floor': ['7'],
    'custom.region': ['north', 'south'],
  }
  expect(await warningsOf(known)).toBeUndefined()
  for (const [id, values] of Object.entries(known))
    expect([id, await warningsOf({ [id]: values })]).toEqual([id, undefined])
  expect(await warningsOf({})).toBeUndefined()
})

it.each<[string, string, string]>([
  ['isp', 'Southnet', 'Nobody'],
  ['package', 'Southnet:Copper', 'Northnet:Copper'],
  ['country', 'US', 'gb'],
  ['agent', 'ab04', 'AB01'],
  ['unit', '1200', '012'],
  ['base', 'Router-Secret', 'router-x'],
  ['target', 'n3.secret.net', 'n1.example.net'],
  ['target_set', 'hidden', ''],
  ['threads', '5', '03'],
  ['custom.region', 'hidden', 'North'],
])(
  'warns about a value of %s that only another organisation has as about an unknown value',
  async (id, foreign, missing) => {
    expect(await warningsOf({ [id]: [foreign, missing] })).toEqual([unknown(id, foreign), unknown(id, missing)])
  },
)

it('knows every hour and every day of the week, also those without results', async () => {
  const clock: Values = { hour_of_day: [0, '10', 23], day_of_week: ['1', 7], peak: ['peak', 'off_peak'] }
  expect(await warningsOf(clock)).toBeUndefined()
  expect(await warningsOf({ hour_of_day: [24, '08'], day_of_week: [0], peak: ['Peak'] })).toEqual([
    unknown('hour_of_day', '24'),
    unknown('hour_of_day', '08'),
    unknown('day_of_week', '0'),
    unknown('peak', 'Peak'),
  ])
})

it('warns about the number of an ISP that no visible agent has', async () => {
  const [southnet] = await runSql<{ id: number }>(world.superuserUrl, `SELECT id FROM isps WHERE name = 'Southnet'`)
  expect(await warningsOf({ isp: [String(southnet?.id)] })).toEqual([unknown('isp', String(southnet?.id))])
})

it('warns once about each value, excluded values too, and still answers the query', async () => {
  const filters = [...filtersOf({ country: ['GB', 'XX', 'XX'] }), ...filtersOf({ country: ['XX'] }, 'exclude')]
  const { body } = await ask({}, { filters })
  expect(body['warnings']).toEqual([unknown('country', 'XX')])
  expect(body['data']).toMatchObject([{ metricData: [{ sampleCount: 1 }] }])
})

it('checks every readable panel, not only the requested one', async () => {
  await panelOf(world, 'more', 'acme', [{ agent_id: 'ef05', unit_id: '77', country: 'IT' }])
  await subscribe(world, 'more', 'watcher')
  expect(await warningsOf({ country: ['IT'] }, { panel: 'homes' })).toBeUndefined()
})

it('does not warn about a stored value that is not listed yet', async () => {
  const fresh = [result('AB:01', 'fresh.example.net', { threads: 31 })]
  await storeFacts(world, 'httpget', fresh)
  expect(await warningsOf({ target: ['fresh.example.net', 'stale.example.net'], threads: [31] })).toEqual([
    unknown('target', 'stale.example.net'),
  ])
})

it('does not warn about a value that is too long to be listed', async () => {
  const long = 'x'.repeat(1_001)
  expect(await warningsOf({ target: [long], country: [long], 'custom.region': [long] })).toBeUndefined()
  expect(await warningsOf({ target: [long.slice(1)] })).toHaveLength(1)
})

it('lists the first of many values, and the number of the others', async () => {
  const warnings = await warningsOf({ country: Array.from({ length: 1_000 }, (_, index) => `X${index}`) })
  expect(warnings).toHaveLength(51)
  expect(warnings?.at(-1)).toEqual({ code: 'more_warnings', message: '950 more of these.' })
})

it('sends the warnings in a header if the response streams', async () => {
  const raw = { chartType: 'raw' }
  const answer = await ask({ isp: ['Nördnet 🎉'] }, raw)
  expect(answer.body).toEqual({ code: 'OK', message: 'Request successful', data: [{ metricData: [] }] })
  expect(JSON.parse(answer.headers.get('broadgauge-warnings') ?? '')).toEqual([unknown('isp', 'Nördnet 🎉')])
  const many = await ask({ country: Array.from({ length: 1_000 }, (_, index) => `X${index}`) }, raw)
  expect(many.headers.get('broadgauge-warnings')?.length).toBeLessThanOrEqual(4_096)
  expect((await ask({ country: ['GB'] }, raw)).headers.get('broadgauge-warnings')).toBeNull()
})

it.each(['/metric_data_download', '/metric_data.csv'])(
  'shows the warnings in the export of %s, each time it is read',
  async (path) => {
    type Shown = { id: string; warnings?: Warning[] }
    const asked = (await ask({ country: ['XX', 'GB'] }, {}, path)).body['data'] as Shown
    expect(asked.warnings).toEqual([unknown('country', 'XX')])
    const later = await call(`${service.addresses.api}/downloads/${asked.id}`, { token: reader })
    expect((later.body['data'] as Shown).warnings).toEqual(asked.warnings)
    const plain = (await ask({ country: ['GB'] }, {}, path)).body['data'] as Shown
    expect(plain).not.toHaveProperty('warnings')
  },
)

it('answers without warnings while the noted values cannot be read', async () => {
  const client = new Client({ connectionString: world.superuserUrl })
  await client.connect()
  try {
    await client.query('BEGIN; LOCK TABLE panel_values IN ACCESS EXCLUSIVE MODE')
    expect(await warningsOf({ country: ['XX'], target: ['nowhere.example.net'] })).toEqual([
      unknown('target', 'nowhere.example.net'),
    ])
  } finally {
    await client.end()
  }
  expect(await warningsOf({ country: ['XX'] })).toEqual([unknown('country', 'XX')])
})

it('does not warn about results while the job notes them for the first time', async () => {
  const { nodes, database } = world.engine('ADMIN')
  for (const node of nodes) await node.command({ query: `TRUNCATE TABLE ${database}.scanned_facts` })
  expect(await warningsOf({ target: ['nowhere.example.net'], country: ['XX'] })).toEqual([unknown('country', 'XX')])
})
