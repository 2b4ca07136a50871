import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import type { Column } from '../../../src/catalog/columns.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { changeSubscription, createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

/**
 * Organisations with overlapping panels. `north` owns n1 and n2 and shares n2 with `south`. `south` owns s1. `alone`
 * owns a panel that only `alone` can read. `none` owns nothing.
 */
let world: World
let service: Service
const tokens: Record<string, string> = {}

const panels: Record<string, string> = { n1: 'north', n2: 'north', s1: 'south', x1: 'alone' }

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['north', 'south', 'alone', 'none']) {
    await organisation(world, key)
    tokens[key] = await token(world, key)
  }
  for (const [key, owner] of Object.entries(panels)) {
    const rows = [
      agent({
        agent_id: `${key}-box`,
        unit_id: String(1000 + key.charCodeAt(0) * 10 + Number(key[1])),
        base: `base ${key}`,
      }),
      agent({ agent_id: `${key}-phone`, kind: 'mobile', unit_id: null, base: null }),
      agent({ agent_id: `${key}-page`, kind: 'web', unit_id: null, base: null }),
    ]
    await world.operate(async (operator) => {
      await createPanel(operator, { key, name: key, owner })
      await importAgents(operator, key, asLines(rows.map((row, index) => ({ line: index + 2, row }))), () => {})
    })
  }
  await world.operate((operator) =>
    changeSubscription(operator, { panel: 'n2', organisation: 'south', subscribed: true }),
  )
  service = await world.serve()
})
afterAll(() => world.close())

const ask = (who: string, body: unknown, path = '/test_data'): Promise<Answer> =>
  call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: tokens[who] ?? '',
    headers: { 'content-type': 'application/json', 'x-request-id': 'fixed' },
    body: JSON.stringify(body),
  })

async function records(who: string, body: Record<string, unknown>): Promise<Record<string, unknown>[]> {
  const answer = await ask(who, { date: { from: '2026-01', to: '2026-01' }, ...body })
  expect(answer.body).toMatchObject({ code: 'OK', message: 'Request successful' })
  expect(answer.status).toBe(200)
  return answer.body['data'] as Record<string, unknown>[]
}

describe('the record', () => {
  /** A value for each type, including a text that JSON has to escape and a number that 32 bits cannot hold. */
  const full = ({ name, type }: Column): unknown =>
    type === 'text' ? `${name} "x"/\\ é\u2028` : type === 'uint8' ? 6 : type === 'int64' ? -4_000_000_000 : 60_000

  it.each(catalog.tests.map((test) => [test.key, test] as const))(
    'of %s has its columns in order',
    async (key, test) => {
      const who = test.family === 'mobile' ? 'n1-phone' : 'n1-box'
      const values = Object.fromEntries(test.columns.map((column) => [column.name, full(column)]))
      const required = Object.fromEntries(
        test.columns.filter((column) => column.required).map((column) => [column.name, full(column)]),
      )
      await storeFacts(world, key, [
        { agent: who, dtime: '2026-01-05 12:00:00.007', ...values },
        { agent: who, dtime: '2026-01-06 23:59:59.999', ...required },
      ])
      const common =
        test.family === 'mobile'
          ? { base: null, agent_id: 'n1-phone', unit_id: null }
          : { base: 'base n1', agent_id: 'n1-box', unit_id: 2101 }
      const { base, ...who2 } = common
      const nothing = Object.fromEntries(test.columns.map(({ name }) => [name, null]))
      const found = await records('north', { test: key })
      expect(found).toEqual([
        { base, ddate: '2026-01-05', dtime: '2026-01-05 12:00:00.007', ...who2, ...values },
        { base, ddate: '2026-01-06', dtime: '2026-01-06 23:59:59.999', ...who2, ...nothing, ...required },
      ])
      for (const record of found) {
        expect(Object.keys(record)).toEqual([
          'base',
          'ddate',
          'dtime',
          'agent_id',
          'unit_id',
          ...test.columns.map(({ name }) => name),
        ])
      }
    },
  )
})

describe('the selection of records', () => {
  const times = [
    '2026-02-27 23:59:59.999',
    '2026-02-28 00:00:00.000',
    '2026-02-28 23:59:59.999',
    '2026-03-01 00:00:00.000',
  ]

  beforeAll(async () => {
    const rows = Object.keys(panels).flatMap((key) =>
      times.map((dtime) => ({ agent: `${key}-box`, dtime, target: key, rtt_avg: 1 })),
    )
    await storeFacts(world, 'ping', rows)
  })

  const targets = async (who: string, body: Record<string, unknown>) => [
    ...new Set(
      (await records(who, { test: 'ping', date: { from: '2026-02', to: '2026-03' }, ...body })).map(
        (one) => one['target'],
      ),
    ),
  ]

  it('includes both ends of the period, to the millisecond, in UTC', async () => {
    const dtimes = async (from: string, to: string) =>
      (await records('alone', { test: 'ping', date: { from, to } })).map((one) => one['dtime'])
    expect(await dtimes('2026-02-28', '20260228')).toEqual(times.slice(1, 3))
    expect(await dtimes('2026-02', '2026-02')).toEqual(times.slice(0, 3))
    expect(await dtimes('2026-03', '2026')).toEqual(times.slice(3))
    expect(await dtimes('0001', '9999')).toEqual(times)
    expect(await dtimes('0001', '1969')).toEqual([])
    expect(await dtimes('2150', '9999')).toEqual([])
  })

  it('gives the panels the caller can read, and no other', async () => {
    expect(await targets('north', {})).toEqual(['n1', 'n2'])
    expect(await targets('south', {})).toEqual(['n2', 's1'])
    expect(await targets('alone', {})).toEqual(['x1'])
  })

  it('gives the named panels', async () => {
    expect(await targets('south', { panel: 's1' })).toEqual(['s1'])
    expect(await targets('south', { panel: ['s1', 'n2'] })).toEqual(['n2', 's1'])
    expect(await targets('south', { panel: ['n2', 'n2'] })).toEqual(['n2'])
  })

  it('gives for a foreign panel the same bytes as for an unknown one', async () => {
    const body = (panel: unknown) => ({ test: 'ping', date: { from: '2026', to: '2026' }, panel })
    const [foreign, unknown] = await Promise.all([ask('south', body('n1')), ask('south', body('zz'))])
    expect(foreign.status).toBe(422)
    expect(foreign.text).toBe(unknown.text)
    const plain = ({ headers }: Answer) => Object.fromEntries([...headers].filter(([name]) => name !== 'date'))
    expect(plain(foreign)).toEqual(plain(unknown))
    const lists = await Promise.all([ask('south', body(['n2', 'n1'])), ask('south', body(['n2', 'zz']))])
    expect(lists[0]?.body['errors']).toEqual({ 'panel[1]': ['The value you selected is not a valid choice.'] })
    expect(lists[0]?.text).toBe(lists[1]?.text)
  })

  it.each(['/metric_data', '/metric_data.csv', '/metric_data_download', '/test_data.csv', '/test_data_download'])(
    'does the same on %s, and creates no file',
    async (path) => {
      const metricRequest = {
        metric: 'ping',
        chartType: 'aggregate',
        aggregation: 'total',
        normalised: false,
        prefilter: false,
        time: { from: '2026-01-01 00:00', to: '2026-12-31 23:59' },
      }
      const testRequest = { test: 'ping', date: { from: '2026', to: '2026' } }
      const proper = path.startsWith('/metric_data') ? metricRequest : testRequest
      const named = async (panel: unknown) => {
        const { status, text, body } = await ask('south', { ...proper, panel }, path)
        return { status, text, faults: Object.keys((body['errors'] as object | undefined) ?? {}) }
      }
      const one = await named('n1')
      expect(one).toMatchObject({ status: 422, faults: ['panel'] })
      expect(await named('zz')).toEqual(one)
      const listed = await named(['n2', 'n1'])
      expect(listed).toMatchObject({ status: 422, faults: ['panel[1]'] })
      expect(await named(['n2', 'zz'])).toEqual(listed)
      expect(await runSql(world.superuserUrl, 'SELECT id FROM exports')).toEqual([])
    },
  )

  it('gives a result to readers of the panel it was ingested under, wherever its agent is now', async () => {
    await storeFacts(world, 'jitter', [
      { agent: 'x1-box', panel: 'n2', dtime: '2026-01-05 12:00:00.000', target: 'moved' },
      { agent: 'n1-box', panel: 'x1', dtime: '2026-01-05 12:00:00.000', target: 'other' },
    ])
    const found = async (who: string) => {
      const all = await records(who, { test: 'jitter' })
      return all.filter(({ target }) => target === 'moved' || target === 'other').map((one) => one['target'])
    }
    expect([await found('north'), await found('south'), await found('alone')]).toEqual([
      ['moved'],
      ['moved'],
      ['other'],
    ])
  })

  it('refuses every test to an organisation without panels, which also lists none', async () => {
    const answer = await ask('none', { test: 'ping', date: { from: '2026', to: '2026' } })
    expect(answer.body['errors']).toEqual({ test: ['The value you selected is not a valid choice.'] })
  })

  it('orders by panel, day, agent and time, and orders hops of one moment too', async () => {
    const moments = ['2026-01-02 10:00:00.000', '2026-01-02 09:00:00.000', '2026-01-01 23:00:00.000']
    const hops = (who: string) =>
      moments.flatMap((dtime) =>
        [3, 1, 2].map((hop) => ({ agent: who, dtime, target: 't', address: 'a', protocol: 'udp', hop })),
      )
    // Two inserts make two parts. So if the result is sorted, ClickHouse has merged the rows of both parts in order.
    await storeFacts(world, 'traceroute', [...hops('s1-box'), ...hops('n2-box')])
    await storeFacts(
      world,
      'traceroute',
      hops('s1-box').map((row) => ({ ...row, target: 's' })),
    )
    const found = (await records('south', { test: 'traceroute' })).filter(
      ({ target }) => target === 's' || target === 't',
    )
    const key = (one: Record<string, unknown>) =>
      [one['agent_id'], one['dtime'], one['target'], one['hop']].map(String).join('|')
    expect(found).toHaveLength(27)
    expect(found.map(key)).toEqual(found.map(key).toSorted())
  })
})

describe('the request', () => {
  it('accepts no query parameters, and needs its scope', async () => {
    const url = `${service.addresses.api}/test_data`
    const body = JSON.stringify({ test: 'ping', date: { from: '2026', to: '2026' } })
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    expect((await call(`${url}?panel=n1`, { ...options, token: tokens['north'] ?? '' })).body['errors']).toEqual({
      panel: ['This field was not expected.'],
    })
    const other = await token(world, 'north', ['metadata:read'])
    expect((await call(url, { ...options, token: other })).status).toBe(403)
    expect((await call(url, { token: tokens['north'] ?? '' })).status).toBe(405)
  })
})
