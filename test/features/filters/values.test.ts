import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { scannedTests } from '../../../src/compile/values/record-values.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { until } from '../../faults/attempt.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
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

it('answers 503 without noted values, and notes all facts again from the beginning', async () => {
  const suffix = world.engine('ADMIN').cluster === null ? '' : '_shard'
  const askAfterForgetting = async () => {
    for (const node of world.engine('ADMIN').nodes) {
      await node.command({ query: `TRUNCATE TABLE ${world.name}.fact_values${suffix}` })
      await node.command({ query: `TRUNCATE TABLE ${world.name}.scanned_facts${suffix}` })
    }
    const { status, headers } = await get('watcher', '/filters/target/values')
    return [status, headers.get('retry-after')]
  }
  // Poll, because the service records filter values once a minute. It may have recorded some between the truncation and
  // the request.
  await expect.poll(askAfterForgetting).toEqual([503, '5'])
  await note(world)
  expect(await values('narrow', 'target')).toEqual(['ping.n1.net'])
})

describe('GET /filters/{id}/values', () => {
  it('is at the path that GET /filters names, for every filter of every caller', async () => {
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

  it('lists values on panels the caller can read, and no value that occurs on other panels only', async () => {
    const everything = async (who: string) => {
      const listed = (await get(who, '/filters')).body['data'] as { id: string }[]
      return Object.fromEntries(
        await Promise.all(listed.map(async ({ id }) => [id, await values(who, id, '?limit=1000')] as const)),
      )
    }
    const clock = {
      hour_of_day: Array.from({ length: 24 }, (_, hour) => String(hour)),
      day_of_week: ['1', '2', '3', '4', '5', '6', '7'],
      peak: ['off_peak', 'peak'],
    }
    const homes = {
      ...clock,
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
      ...clock,
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

  it('searches hours and peak like other values', async () => {
    expect(await values('watcher', 'hour_of_day', '?search=2')).toEqual(['2', '20', '21', '22', '23', '12'])
    expect(await values('watcher', 'hour_of_day', '?search=2&limit=5')).toEqual(['2', '20', '21', '22', '23'])
    expect(await values('watcher', 'peak', '?search=PEAK')).toEqual(['peak', 'off_peak'])
    expect(await values('watcher', 'day_of_week', '?search=8')).toEqual([])
    const { headers } = await get('watcher', '/filters/peak/values')
    expect(headers.get('age')).toBe('0')
  })

  it('shows values of facts only if the caller is entitled to a metric of their test', async () => {
    expect(await values('narrow', 'target')).toEqual(['ping.n1.net'])
    expect((await get('narrow', '/filters/threads/values')).status).toBe(404)
  })

  it('lists values with the prefix before values that contain the text, ignoring case', async () => {
    expect(await values('watcher', 'target', '?search=N1')).toEqual(['N1.example.net', 'ping.n1.net'])
    expect(await values('watcher', 'target', '?search=example.NET')).toEqual(['N1.example.net', 'n2.Example.net'])
    expect(await values('watcher', 'base', '?search=ROUTER')).toEqual(['Router-X', 'router-y', 'The-Router'])
    expect(await values('watcher', 'package', '?search=fibre%205')).toEqual(['Northnet:Fibre 500'])
    expect(await values('watcher', `custom.${oddKey}`, '?search=lu')).toEqual(['Blue'])
    expect(await values('watcher', 'target', '?search=%25')).toEqual([])
    expect(await values('watcher', 'base', '?search=_')).toEqual([])
  })

  it('finds agents and units by prefix', async () => {
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

  it("gives the same answer for another organisation's filter, a filter of no metric of the caller, and an unknown filter", async () => {
    const answers = await Promise.all(
      ['custom.own', 'custom.nobody', 'model', 'nothing'].map((id) => get('watcher', `/filters/${id}/values?limit=x`)),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(404)
      expect(answer.text).toBe(answers[0]?.text)
    }
  })

  it('refuses invalid parameters, and ignores unknown ones', async () => {
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

  it('states the age of the list, and forbids caches to store it', async () => {
    const { headers } = await get('watcher', '/filters/target/values')
    expect(headers.get('cache-control')).toBe('private, max-age=60')
    // Because of this header, the browser's own cache also distinguishes callers. Users of two organisations may use
    // the same browser.
    expect(headers.get('vary')).toContain('Authorization')
    expect(Number(headers.get('age'))).toBeLessThan(60)
    expect((await get('watcher', '/filters/isp/values')).headers.get('age')).toBe('0')
  })

  it('lists a value that PUT /metadata set and later removed', async () => {
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

  it('lists numeric custom values as text, in the form that filters and splits accept', async () => {
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
    // A query sees the metadata change after a few seconds.
    await expect.poll(() => found({}), { timeout: 10_000 }).toEqual(['1.5', '-3', '0.1'])
    for (const figure of numbers) {
      const filter = { id: 'custom.figure', filterType: 'include', filterValues: [String(figure)] }
      expect(await found({ filters: [filter] })).toEqual([String(figure)])
    }
  })

  it('accepts a value too long for an index, and does not list it', async () => {
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

  it('are those of every row, whichever way it was stored, and however often the job has noted them', async () => {
    await synthPanel(world, { agents: 30, days: 2, owner: 'acme' })
    await note(world)
    await note(world)
    for (const { key, columns } of scannedTests(catalog)) {
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

  it("are noted by the service's own job", async () => {
    await storeFacts(world, 'ping', [{ agent: 'cd03', dtime: '2026-01-05 10:00:00.000', target: 'late.net' }])
    await world.serve()
    await until(async () => (await values('narrow', 'target')).includes('late.net'), 90_000)
    expect(await values('narrow', 'target')).toEqual(['late.net', 'ping.n1.net'])
  }, 120_000)

  it('are not listed if they are longer than a thousand bytes', async () => {
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

  it('are noted for every test except a failing one, and for that one as soon as it stops failing', async () => {
    const suffix = world.engine('ADMIN').cluster === null ? '' : '_shard'
    const rename = async (from: string, to: string) => {
      for (const node of world.engine('ADMIN').nodes)
        await node.command({ query: `ALTER TABLE ${world.name}.httpget${suffix} RENAME COLUMN ${from} TO ${to}` })
    }
    const progressOf = (test: string) =>
      distinct(
        `SELECT concat(toString(node), ' ', toString(max(upto))) AS v FROM ${world.name}.scanned_facts
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
