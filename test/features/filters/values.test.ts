import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { notedTests } from '../../../src/compile/values/note-values.ts'
import { findMigrationFiles } from '../../../src/engine/migration-files.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { until } from '../../faults/attempt.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { note, packages, panelOf, say, subscribe } from './values-world.ts'

const oddKey = 'a/b?c=d%25 é#..'

let world: World
let service: Service
const tokens: Record<string, string> = {}

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['acme', 'rival', 'watcher']) await organisation(world, key)
  await organisation(world, 'narrow', { metrics: ['pingLoss'] })
  await panelOf(world, 'homes', 'acme', [
    { agent_id: 'AB:01', unit_id: '12', base: 'Router-X', country: 'GB' },
    { agent_id: 'ab-02', unit_id: '120', base: 'router-y', country: 'FR' },
    { agent_id: 'cd03', unit_id: '3', base: 'The-Router', country: null },
  ])
  await panelOf(world, 'phones', 'acme', [{ agent_id: 'p1', unit_id: null, kind: 'mobile', base: null, country: 'GB' }])
  await panelOf(world, 'secret', 'rival', [{ agent_id: 'ab04', unit_id: '1200', base: 'Router-Secret', country: 'US' }])
  await subscribe(world, 'homes', 'watcher')
  await subscribe(world, 'homes', 'narrow')
  await packages(world, ['Northnet:Fibre 100', 'Northnet:Fibre 500', 'Southnet:Copper', 'Nobody:Unused'])
  await say(world, 'homes', [
    { agent_id: 'ab-02', from_day: '2026-01-01', isp: 'Northnet', package: 'Fibre 100', custom: { [oddKey]: 7 } },
    { agent_id: 'ab-02', from_day: '2026-02-01', isp: 'Northnet', package: 'Fibre 500', custom: { [oddKey]: 'Blue' } },
  ])
  await say(world, 'secret', [
    {
      agent_id: 'ab04',
      from_day: '2026-01-01',
      isp: 'Southnet',
      package: 'Copper',
      custom: { [oddKey]: 'Red', own: 'x' },
    },
  ])
  const result = (agent: string, target: string, more = {}) => ({
    agent,
    dtime: '2026-01-02 10:00:00.000',
    target,
    ...more,
  })
  await storeFacts(world, 'httpget', [
    result('AB:01', 'N1.example.net', { threads: 3, ip_version: 4, target_group: 'off-net' }),
    result('ab-02', 'n2.Example.net', { threads: 16, ip_version: null, target_group: null }),
    result('ab04', 'n3.secret.net', { threads: 5, ip_version: 6, target_group: 'secret' }),
  ])
  await storeFacts(world, 'ping', [result('cd03', 'ping.n1.net'), result('ab04', 'ping.secret.net')])
  await storeFacts(world, 'mobile_download', [
    result('p1', 'N1.example.net', {
      model: 'Pear 9',
      manufacturer: 'Pear',
      connection_type: 'Wi-Fi',
      geo_country: 'GB',
    }),
  ])
  for (const key of ['acme', 'rival', 'watcher', 'narrow']) tokens[key] = await token(world, key)
  service = await world.serve()
  await note(world)
}, 120_000)
afterAll(() => world.close())

const get = (who: string, path: string): Promise<Answer> =>
  call(`${service.addresses.api}${path}`, { token: tokens[who] ?? '' })

async function values(who: string, id: string, query = ''): Promise<string[]> {
  const answer = await get(who, `/filters/${encodeURIComponent(id)}/values${query}`)
  expect(answer.status, answer.text).toBe(200)
  const data = answer.body['data'] as { value: string; label: string }[]
  for (const { value, label } of data) expect(label).toBe(value)
  return data.map(({ value }) => value)
}

it('goes through the facts from the beginning when that is forgotten, and has no list before', async () => {
  const suffix = world.engine('ADMIN').cluster === null ? '' : '_shard'
  const askAfterForgetting = async () => {
    for (const node of world.engine('ADMIN').nodes) {
      await node.command({ query: `TRUNCATE TABLE ${world.name}.fact_values${suffix}` })
      await node.command({ query: `TRUNCATE TABLE ${world.name}.noted_facts${suffix}` })
    }
    const { status, headers } = await get('watcher', '/filters/target/values')
    return [status, headers.get('retry-after')]
  }
  // Once more if the service, which notes by itself once a minute, has done so in between.
  await expect.poll(askAfterForgetting).toEqual([503, '5'])
  await note(world)
  expect(await values('narrow', 'target')).toEqual(['ping.n1.net'])
})

it('finds the values of metadata that was there before values were noted', async () => {
  const noted = () => runSql(world.superuserUrl, 'SELECT * FROM panel_values ORDER BY panel_id, subject, value')
  const before = await noted()
  expect(before.length).toBeGreaterThan(10)
  await runSql(world.superuserUrl, 'TRUNCATE panel_values')
  const migration = (await findMigrationFiles('postgres')).find(({ name }) => name.endsWith('_panel_values.sql'))
  await runSql(world.superuserUrl, migration?.text.split('past spans included.\n')[1] ?? '')
  expect(await noted()).toEqual(before)
})

describe('GET /filters/{id}/values', () => {
  it('is where GET /filters says, for every filter of every caller', async () => {
    for (const who of Object.keys(tokens)) {
      const listed = (await get(who, '/filters')).body['data'] as { id: string; values: string }[]
      expect(listed.length).toBeGreaterThan(5)
      for (const { id, values: link } of listed) {
        const address = new URL(link, `${service.addresses.api}/filters`)
        const answer = await call(address.href, { token: tokens[who] ?? '' })
        expect([id, answer.status]).toEqual([id, 200])
      }
    }
  })

  it('lists what occurs on panels the caller can read, and nothing that occurs elsewhere only', async () => {
    const everything = async (who: string) => {
      const listed = (await get(who, '/filters')).body['data'] as { id: string }[]
      return Object.fromEntries(await Promise.all(listed.map(async ({ id }) => [id, await values(who, id)] as const)))
    }
    const homes = {
      isp: ['Northnet'],
      package: ['Northnet:Fibre 100', 'Northnet:Fibre 500'],
      country: ['FR', 'GB'],
      agent: ['AB:01', 'ab-02', 'cd03'],
      unit: ['3', '12', '120'],
      base: ['Router-X', 'router-y', 'The-Router'],
      target: ['N1.example.net', 'n2.Example.net', 'ping.n1.net'],
      target_set: ['off-net'],
      threads: ['16', '3'],
      ip_version: ['4'],
      [`custom.${oddKey}`]: ['7', 'Blue'],
    }
    expect(await everything('watcher')).toEqual(homes)
    expect(await everything('acme')).toEqual({
      ...homes,
      agent: ['AB:01', 'ab-02', 'cd03', 'p1'],
      model: ['Pear 9'],
      manufacturer: ['Pear'],
      operating_system_version: [],
      carrier_name: [],
      connection_type: ['Wi-Fi'],
      cellular_technology: [],
      geo_country: ['GB'],
    })
    expect(await everything('rival')).toEqual({
      isp: ['Southnet'],
      package: ['Southnet:Copper'],
      country: ['US'],
      agent: ['ab04'],
      unit: ['1200'],
      base: ['Router-Secret'],
      target: ['n3.secret.net', 'ping.secret.net'],
      target_set: ['secret'],
      threads: ['5'],
      ip_version: ['6'],
      [`custom.${oddKey}`]: ['Red'],
      'custom.own': ['x'],
    })
  })

  it('shows values of facts only as far as the caller is entitled to a metric of their test', async () => {
    expect(await values('narrow', 'target')).toEqual(['ping.n1.net'])
    expect((await get('narrow', '/filters/threads/values')).status).toBe(404)
  })

  it('gives what begins with the text before what holds it, whatever the case', async () => {
    expect(await values('watcher', 'target', '?search=N1')).toEqual(['N1.example.net', 'ping.n1.net'])
    expect(await values('watcher', 'target', '?search=example.NET')).toEqual(['N1.example.net', 'n2.Example.net'])
    expect(await values('watcher', 'base', '?search=ROUTER')).toEqual(['Router-X', 'router-y', 'The-Router'])
    expect(await values('watcher', 'package', '?search=fibre%205')).toEqual(['Northnet:Fibre 500'])
    expect(await values('watcher', `custom.${oddKey}`, '?search=lu')).toEqual(['Blue'])
    expect(await values('watcher', 'target', '?search=%25')).toEqual([])
    expect(await values('watcher', 'base', '?search=_')).toEqual([])
  })

  it('finds agents and units by how they begin', async () => {
    expect(await values('watcher', 'agent', '?search=A-b')).toEqual(['AB:01', 'ab-02'])
    expect(await values('watcher', 'agent', '?search=02')).toEqual([])
    expect(await values('watcher', 'agent', '?search=--')).toEqual([])
    expect(await values('watcher', 'agent', '?search=%C3%A9ab')).toEqual([])
    expect(await values('watcher', 'unit', '?search=12')).toEqual(['12', '120'])
    for (const none of ['01', 'x', '-1', '99999999999999999'])
      expect(await values('watcher', 'unit', `?search=${none}`)).toEqual([])
  })

  it('stops at the limit, prefixes first', async () => {
    expect(await values('watcher', 'target', '?search=n1&limit=1')).toEqual(['N1.example.net'])
    expect(await values('watcher', 'base', '?limit=2')).toEqual(['Router-X', 'router-y'])
    expect(await values('watcher', 'unit', '?limit=1')).toEqual(['3'])
  })

  it('answers a filter of others, one of no metric of the caller, and one that does not exist alike', async () => {
    const answers = await Promise.all(
      ['custom.own', 'custom.nobody', 'model', 'nothing'].map((id) => get('watcher', `/filters/${id}/values?limit=x`)),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(404)
      expect(answer.text).toBe(answers[0]?.text)
    }
  })

  it('refuses parameters that are wrong, and ignores those it does not know', async () => {
    const faults = async (query: string) => {
      const { status, body } = await get('watcher', `/filters/isp/values?${query}`)
      expect([query, status]).toEqual([query, 422])
      return body['errors']
    }
    expect(await faults('serch=x&limit=0')).toEqual({ limit: ['This value should be between 1 and 1000.'] })
    expect(await values('watcher', 'isp', '?serch=x')).toEqual(await values('watcher', 'isp'))
    for (const limit of ['', 'ten', '1.5', '-1']) {
      expect(await faults(`limit=${limit}`)).toEqual({ limit: ['This value should be of type integer.'] })
    }
    expect(await faults('limit=1001')).toHaveProperty('limit')
    expect(await faults('search=a&search=b')).toEqual({ search: ['This value should be of type string.'] })
    expect(await faults('search=%00')).toHaveProperty('search')
    expect(await faults(`search=${'x'.repeat(256)}`)).toHaveProperty('search')
    expect(await values('watcher', 'isp', `?search=${'x'.repeat(255)}&limit=1000`)).toEqual([])
  })

  it('says how old the list is, and that nobody between us may keep it', async () => {
    const { headers } = await get('watcher', '/filters/target/values')
    expect(headers.get('cache-control')).toBe('private, max-age=60')
    // Nor a browser, for somebody of another organisation.
    expect(headers.get('vary')).toContain('Authorization')
    expect(Number(headers.get('age'))).toBeLessThan(60)
    expect((await get('watcher', '/filters/isp/values')).headers.get('age')).toBe('0')
  })

  it('lists a value that was set by PUT /metadata and is set no more', async () => {
    const writing = await token(world, 'acme', ['metadata:write'])
    for (const colour of ['Green', 'Grey']) {
      const answer = await call(`${service.addresses.api}/metadata`, {
        method: 'PUT',
        token: `Bearer ${writing}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          agent: { unit_id: 3 },
          metadata: { package: 'Southnet:', custom: { [oddKey]: colour } },
        }),
      })
      expect(answer.status).toBe(200)
    }
    expect(await values('watcher', `custom.${oddKey}`, '?search=gr')).toEqual(['Green', 'Grey'])
    expect(await values('watcher', 'isp')).toEqual(['Northnet', 'Southnet'])
  })

  it('has numbers among custom values as their text, as a filter and a split take them', async () => {
    const numbers = [1.5, -3, 0.1]
    const days = ['2026-01-01', '2026-01-02', '2026-01-03']
    await panelOf(world, 'figures', 'acme', [{ agent_id: 'f1' }])
    await say(
      world,
      'figures',
      numbers.map((figure, index) => ({ agent_id: 'f1', from_day: days[index] ?? '', custom: { figure } })),
    )
    await storeFacts(
      world,
      'ping',
      days.map((day) => ({ agent: 'f1', dtime: `${day} 10:00:00.000`, target: 'ping.n1.net', rtt_avg: 12_000 })),
    )
    expect(await values('acme', 'custom.figure')).toEqual(['-3', '0.1', '1.5'])
    const found = async (more: object) => {
      const answer = await call(`${service.addresses.api}/metric_data`, {
        method: 'POST',
        token: tokens['acme'] ?? '',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          metric: 'ping',
          panel: 'figures',
          chartType: 'raw',
          normalised: false,
          prefilter: false,
          splits: ['custom.figure'],
          time: { from: '2026-01-01 00:00', to: '2026-01-31 00:00' },
          ...more,
        }),
      })
      const [series] = answer.body['data'] as { metricData: { 'custom.figure': unknown }[] }[]
      return series?.metricData.map((point) => point['custom.figure'])
    }
    // The engine learns of the change within seconds.
    await expect.poll(() => found({}), { timeout: 10_000 }).toEqual(['1.5', '-3', '0.1'])
    for (const figure of numbers) {
      const filter = { id: 'custom.figure', filterType: 'include', filterValues: [String(figure)] }
      expect(await found({ filters: [filter] })).toEqual([String(figure)])
    }
  })

  it('takes a value no index can hold, and leaves it out of the list', async () => {
    const long = 'x'.repeat(50_000)
    await say(world, 'homes', [{ agent_id: 'cd03', from_day: '2026-03-01', custom: { [oddKey]: long } }])
    expect(await values('watcher', `custom.${oddKey}`, '?search=xx')).toEqual([])
  })
})

describe('the values of facts', () => {
  const distinct = async (query: string) => {
    const nodes = await Promise.all(
      world
        .engine('ADMIN')
        .nodes.map(async (node) => (await node.query({ query, format: 'JSONEachRow' })).json<{ v: string }>()),
    )
    return [...new Set(nodes.flat().map(({ v }) => v))].toSorted()
  }

  it('are those of every row, however it got in, and however often they were gone through', async () => {
    await synthPanel(world, { agents: 30, days: 2, owner: 'acme' })
    await note(world)
    await note(world)
    for (const { key, columns } of notedTests(catalog)) {
      for (const column of columns) {
        const said = await distinct(
          `SELECT DISTINCT concat(toString(panel), ' ', toString(${column})) AS v FROM ${world.name}.${key} WHERE ${column} IS NOT NULL`,
        )
        const noted = await distinct(
          `SELECT concat(toString(panel), ' ', value) AS v FROM ${world.name}.fact_values WHERE test = '${key}' AND column = '${column}'`,
        )
        expect([key, column, noted]).toEqual([key, column, said])
      }
    }
  }, 120_000)

  it('are noted by the service by itself', async () => {
    await storeFacts(world, 'ping', [{ agent: 'cd03', dtime: '2026-01-05 10:00:00.000', target: 'late.net' }])
    await world.serve()
    await until(async () => (await values('narrow', 'target')).includes('late.net'), 90_000)
    expect(await values('narrow', 'target')).toEqual(['late.net', 'ping.n1.net'])
  }, 120_000)

  it('are not listed where they are longer than a thousand bytes', async () => {
    const longest = 'é'.repeat(500)
    const targets = [longest, `${longest}x`]
    await storeFacts(
      world,
      'ping',
      targets.map((target) => ({ agent: 'cd03', dtime: '2026-01-06 10:00:00.000', target })),
    )
    await note(world)
    expect(await values('narrow', 'target', '?search=éé')).toEqual([longest])
  })

  it('are noted of every test but the one that fails, and of that one when it no longer does', async () => {
    const suffix = world.engine('ADMIN').cluster === null ? '' : '_shard'
    const rename = async (from: string, to: string) => {
      for (const node of world.engine('ADMIN').nodes)
        await node.command({ query: `ALTER TABLE ${world.name}.httpget${suffix} RENAME COLUMN ${from} TO ${to}` })
    }
    const progressOf = (test: string) =>
      distinct(
        `SELECT concat(toString(node), ' ', toString(max(upto))) AS v FROM ${world.name}.noted_facts
         WHERE test = '${test}' GROUP BY node`,
      )
    const result = { agent: 'cd03', dtime: '2026-01-07 10:00:00.000' }
    await storeFacts(world, 'httpget', [{ ...result, target: 'made-up-for.net' }])
    await rename('target_group', 'another_name')
    try {
      await storeFacts(world, 'ping', [{ ...result, target: 'beside.net' }])
      const [failing, other] = [await progressOf('httpget'), await progressOf('ping')]
      await expect(note(world)).rejects.toThrow('target_group')
      expect(await values('narrow', 'target', '?search=beside')).toEqual(['beside.net'])
      expect(await progressOf('httpget')).toEqual(failing)
      expect(await progressOf('ping')).not.toEqual(other)
    } finally {
      await rename('another_name', 'target_group')
    }
    await note(world)
    expect(await values('watcher', 'target', '?search=made-up')).toEqual(['made-up-for.net'])
  })
})
