import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentKinds } from '../../src/catalog/agent-kinds.ts'
import { bind, sql, statement } from '../../src/base/sql.ts'
import { agentTraits } from '../../synth/agents.ts'
import type { Population } from '../../synth/options.ts'
import { geographies, type Geography } from '../../synth/places.ts'
import { adding } from '../../synth/select.ts'
import { sites } from '../../synth/sites.ts'
import { pingHosts } from '../../synth/tests/ping.ts'
import { webPages } from '../../synth/tests/webget.ts'
import { organisation } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { synthPanel } from '../kit/synth-panel.ts'
import { openWorld, type World } from '../kit/world.ts'

const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const [agents, days] = isDeep ? [1600, 30] : [150, 2]
let world: World
const homes: Record<Geography, Map<string, Point>> = { 'united-kingdom': new Map(), 'odd-zones': new Map() }

type Point = { latitude: number; longitude: number }

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'regulator')
  for (const geography of geographies) {
    const written = await synthPanel(world, { agents, days, owner: 'regulator', panel: geography, geography })
    if (isDeep) process.stdout.write(`${geography}: ${written.reduce((sum, { rows }) => sum + rows, 0)} rows\n`)
    homes[geography] = await findHomes(geography)
  }
}, 600_000)
afterAll(() => world.close())

async function ask<Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> {
  const text = query.replaceAll('db.', `${world.name}.`)
  const result = await world.engine('QUERY').nodes[0]?.query({ query: text, query_params, format: 'JSONEachRow' })
  return (await result?.json<Row>()) ?? []
}

/** Where the agents live, by agent id: no table stores it. */
async function findHomes(panel: Geography): Promise<Map<string, Point>> {
  const day = Temporal.PlainDate.from('2026-04-15')
  const population: Population = {
    panel,
    seed: 1,
    agents,
    firstDay: day.subtract({ days: days - 1 }),
    lastDay: day,
    kinds: agentKinds,
    isp: null,
    geography: panel,
  }
  const numbered = sql`SELECT concat(${bind('String', panel)}, '-', leftPad(toString(number), 7, '0')) AS agent_id,
    cityHash64(toUInt64(1), agent_id) AS line FROM numbers(1, ${bind('UInt32', agents)})`
  const { text, params } = statement(adding(agentTraits(population), numbered))
  const rows = await ask<Point & { agent_id: string }>(`SELECT agent_id, latitude, longitude FROM (${text})`, params)
  return new Map(rows.map(({ agent_id, ...home }) => [agent_id, home]))
}

/** The spherical law of cosines; the generator uses ClickHouse's function and the haversine formula. */
function kilometres(one: Point, other: Point): number {
  const [a, b] = [one, other].map(({ latitude }) => (latitude * Math.PI) / 180) as [number, number]
  const between = ((one.longitude - other.longitude) * Math.PI) / 180
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(between)
  return 6371 * Math.acos(Math.min(1, cosine))
}

/** Kilometres to the server that answers as `target`: at its site, or at the nearest site if it can be at several. */
function distance(home: Point, target: string): number {
  const host = [...pingHosts, ...webPages].find((known) => ('url' in known ? known.url : known.name) === target)
  const name = host?.site ?? target.split('.test.')[0]
  const own = sites.filter((site) => site.name === name)
  return Math.min(...(own.length > 0 ? own : sites).map((site) => kilometres(home, site)))
}

/** Every column that holds a round trip to a server, or a time that includes one. */
const roundTrips = [
  ['ping', 'rtt_min'],
  ['ping', 'rtt_avg'],
  ['ping', 'rtt_max'],
  ['latency', 'rtt_min'],
  ['latency', 'rtt_avg'],
  ['latency', 'rtt_max'],
  ['jitter', 'latency'],
  ['mobile_latency', 'rtt_min'],
  ['mobile_latency', 'rtt_avg'],
  ['dns', 'rtt'],
  ['webget', 'ttfb_min'],
  ['webget', 'ttfb_avg'],
  ['webget', 'request_min_time'],
  ['webget', 'lookup_min_time'],
  ['netflix', 'connect_time'],
  ['youtube', 'web_connect_time'],
  ['youtube', 'video_connect_time'],
  ['youtube', 'audio_connect_time'],
  ['mobile_youtube', 'web_connect_time'],
  ['mobile_youtube', 'video_connect_time'],
  ['traceroute', 'rtt_avg'],
] as const

describe.each(geographies)('in the panel %s', (geography) => {
  it.each(roundTrips)('no row of %s has a shorter %s than light in fibre needs', async (test, column) => {
    const target = test === 'dns' ? 'nameserver' : test === 'webget' && column === 'lookup_min_time' ? "''" : 'target'
    const rows = await ask<{ agent_id: string; host: string; shortest: number }>(`
      SELECT dictGet('db.agents', 'agent_id', agent) AS agent_id, ${target} AS host, toFloat64(min(${column})) AS shortest
      FROM db.${test}
      -- Below half a millisecond another device has answered, or a clock was set: the prefilter removes such rows.
      WHERE ${column.startsWith('rtt_') && test !== 'traceroute' ? 'rtt_min' : column} >= 500 AND ${test === 'traceroute' ? 'hop_address = address AND' : ''} startsWith(agent_id, '${geography}')
      GROUP BY agent_id, host`)
    expect(rows.length).toBeGreaterThan(10)
    const tooFast = rows.filter(({ agent_id, host, shortest }) => {
      const home = homes[geography].get(agent_id)
      return home === undefined || shortest < 10 * distance(home, host)
    })
    expect(tooFast).toEqual([])
  })

  it('nearly all results of a test are from the nearest server, and a few from far ones', async () => {
    const rows = await ask<{ agent_id: string; target: string; results: string }>(`
      SELECT dictGet('db.agents', 'agent_id', agent) AS agent_id, target, count() AS results FROM db.latency
      WHERE startsWith(agent_id, '${geography}') GROUP BY agent_id, target`)
    const sum = (wanted: typeof rows) => wanted.reduce((total, { results }) => total + Number(results), 0)
    const far = rows.filter(({ target }) => /^(frankfurt|newyork)/.test(target))
    const slack = 60
    const near = rows.filter(({ agent_id, target }) => {
      const home = homes[geography].get(agent_id)
      if (home === undefined) return false
      return distance(home, target) < Math.min(...sites.map((site) => kilometres(home, site))) + slack
    })
    expect(sum(near) / sum(rows)).toBeGreaterThan(0.8)
    if (geography === 'united-kingdom') expect(sum(far) / sum(rows)).toBeGreaterThan(0.01)
    if (geography === 'united-kingdom') expect(sum(far) / sum(rows)).toBeLessThan(0.04)
  })
})

it('a national panel is one country, with agents where people live; the other one has the odd zones', async () => {
  const found = await runSql<{ panel: string; region: string; country: string; zone: string; agents: number }>(
    world.superuserUrl,
    `SELECT p.key AS panel, c.custom->>'region' AS region, a.country, z.name AS zone, count(*)::int AS agents
     FROM current_metadata c JOIN panels p ON p.id = c.panel_id JOIN agents a ON a.id = c.agent_id
       JOIN zones z ON z.id = c.zone_id GROUP BY 1, 2, 3, 4`,
  )
  const national = found.filter(({ panel }) => panel === 'united-kingdom')
  const agentsIn = (region: string) =>
    national.filter((row) => row.region === region).reduce((sum, row) => sum + row.agents, 0)
  expect(new Set(national.map(({ country }) => country))).toEqual(new Set(['GB']))
  expect(new Set(national.map(({ zone }) => zone))).toEqual(new Set(['Europe/London']))
  expect(agentsIn('South East')).toBeGreaterThan(2 * agentsIn('Northern Ireland'))
  const odd = new Set(found.filter(({ panel }) => panel === 'odd-zones').map(({ zone }) => zone))
  expect(odd).toContain('Pacific/Chatham')
  expect(odd).toContain('Australia/Lord_Howe')
  expect(odd).toContain('Asia/Kathmandu')
  expect(odd.size).toBe(10)
})
