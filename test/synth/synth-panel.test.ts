import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'
import { organisation } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { synthPanel } from '../kit/synth-panel.ts'
import { openWorld, type World } from '../kit/world.ts'

/** Enough that every statistic below is many deviations away from its bounds; the seed is fixed all the same. */
const [agents, days] = [600, 10]
let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'regulator')
  await organisation(world, 'acme')
  await synthPanel(world, { agents, days, owner: 'regulator', panel: 'national' })
  await synthPanel(world, {
    agents: 30,
    days: 2,
    owner: 'acme',
    panel: 'lab',
    isp: 'Acme Broadband',
    tests: ['httpget'],
  })
}, 600_000)
afterAll(() => world.close())

async function ask<Row = Record<string, number>>(query: string): Promise<Row[]> {
  const text = query.replaceAll('db.', `${world.name}.`)
  const result = await world.engine('QUERY').nodes[0]?.query({ query: text, format: 'JSONEachRow' })
  return (await result?.json<Row>()) ?? []
}

async function one<Row = Record<string, number>>(query: string): Promise<Row> {
  const [row] = await ask<Row>(query)
  if (row === undefined) throw new Error('no row')
  return row
}

const sql = <Row extends Record<string, unknown>>(text: string) => runSql<Row>(world.superuserUrl, text)

/** Agents in a zone, or on a technology that they have kept, as a list for IN. */
async function agentsWith(condition: string): Promise<string> {
  const rows = await sql<{ id: number }>(
    `SELECT c.agent_id AS id FROM current_metadata c JOIN zones z ON z.id = c.zone_id JOIN panels p ON p.id = c.panel_id
     WHERE p.key = 'national' AND ${condition}`,
  )
  expect(rows.length).toBeGreaterThan(5)
  return rows.map(({ id }) => id).join()
}

describe('every test', () => {
  it.each(catalog.tests.map((test) => [test.key, test] as const))(
    '%s has rows as the catalogue wants them',
    async (key, test) => {
      const texts = test.columns.filter(({ type, required }) => type === 'text' && required)
      const counts = test.columns.filter(({ type }) => type === 'uint32')
      const row = await one(`
      SELECT count() AS rows, uniqExact(agent, dtime, ${test.identity.join() || '1'}) AS different, uniqExact(agent) AS agents,
        countIf(${texts.map(({ name }) => `${name} = ''`).join(' OR ') || 'false'}) AS nameless,
        -- A negative number in an unsigned column would be four thousand million.
        countIf(${counts.map(({ name }) => `${name} > 1000000000`).join(' OR ') || 'false'}) AS wrapped,
        countIf(dictGet('db.agents', 'panel_id', agent) <> panel) AS strangers,
        countIf(NOT has([${test.kinds.map((kind) => `'${kind}'`).join()}], dictGet('db.agents', 'kind', agent))) AS wrong_kind,
        toString(min(dtime)) AS first, toString(max(dtime)) AS last
      FROM db.${key} WHERE panel = 1`)
      expect(row).toMatchObject({ different: row['rows'], nameless: 0, wrapped: 0, strangers: 0, wrong_kind: 0 })
      expect(row['agents']).toBeGreaterThan(20)
      expect([String(row['first']).slice(0, 10), String(row['last']).slice(0, 10)]).toEqual([
        '2026-04-06',
        '2026-04-15',
      ])
    },
  )

  it.each(catalog.tests.filter(({ key }) => key !== 'network_usage').map(({ key }) => key))(
    '%s fails now and then, and then measures nothing',
    async (key) => {
      const columns = catalog.tests.find((test) => test.key === key)?.columns ?? []
      const measured = columns.filter(({ unit, required }) => unit === 'µs' && !required).map(({ name }) => name)
      const row = await one(`
        SELECT countIf(successes = 0) / count() AS failed,
          countIf(successes = 0 AND ${key === 'traceroute' ? 'hop > 2 AND' : ''} (${measured.map((name) => `${name} IS NOT NULL`).join(' OR ')})) AS measured
        FROM db.${key} WHERE panel = 1`)
      expect(row['failed']).toBeGreaterThan(0.0005)
      expect(row['failed']).toBeLessThan(0.05)
      expect(row['measured']).toBe(0)
    },
  )
})

describe('schedules', () => {
  it.each(['Europe/London', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
    'runs speed tests with several connections and with one in each block of the day in %s',
    async (zone) => {
      const inZone = await agentsWith(`z.name = '${zone}'`)
      const row = await one(`
      SELECT max(tests) AS most, sum(tests) / (uniqExact(agent) * 12 * ${days}) AS share, uniqExact(block) AS blocks,
        arraySort(groupUniqArray(threads)) AS threads
      FROM (
        SELECT agent, toDate(dtime, '${zone}') AS day, arrayLastIndex(h -> h <= toHour(dtime, '${zone}'), [0, 6, 12, 18, 20, 22]) AS block, threads, count() AS tests
        FROM db.httpget WHERE panel = 1 AND agent IN (${inZone}) AND dictGet('db.agents', 'kind', agent) IN ('whitebox', 'cpe') AND agent <> 1
        GROUP BY agent, day, block, threads
      )`)
      expect(row).toMatchObject({ most: 1, blocks: 6, threads: [1, 8] })
      expect(row['share']).toBeGreaterThan(0.85)
    },
  )

  it('runs the other tests every hour, around the clock', async () => {
    const rows = await ask(`
      SELECT toHour(dtime) AS hour, count() / uniqExact(agent) / ${days} AS share FROM db.latency
      WHERE panel = 1 AND dictGet('db.agents', 'kind', agent) = 'whitebox' GROUP BY hour ORDER BY hour`)
    expect(rows).toHaveLength(24)
    for (const { share } of rows) expect(share).toBeGreaterThan(0.85)
  })

  it('has a heavy tester, every ten minutes', async () => {
    const rows = await ask(
      `SELECT agent, count() AS tests FROM db.httpget WHERE panel = 1 GROUP BY agent ORDER BY tests DESC LIMIT 2`,
    )
    expect(rows[0]?.['agent']).toBe(1)
    expect(rows[0]?.['tests']).toBeGreaterThan(5 * (rows[1]?.['tests'] ?? 0))
  })
})

describe('lines', () => {
  const evening = async (technology: string): Promise<number> => {
    const lines = await agentsWith(
      `c.custom->>'technology' = '${technology}' AND z.name = 'Europe/London' AND c.from_day = '2026-04-06'`,
    )
    const row = await one(`
      SELECT avgIf(relative, toHour(dtime, 'Europe/London') IN (20, 21)) / avgIf(relative, toHour(dtime, 'Europe/London') < 6) AS ratio
      FROM (SELECT agent, dtime, bytes_sec / avg(bytes_sec) OVER (PARTITION BY agent) AS relative FROM db.httpget
            WHERE panel = 1 AND agent IN (${lines}) AND bytes_sec BETWEEN 1 AND 1.25e9 AND threads > 1)`)
    return row['ratio'] ?? NaN
  }

  it('are slower in the evening where neighbours share them, and hardly where they do not', async () => {
    expect(await evening('cable')).toBeLessThan(0.95)
    expect(await evening('cable')).toBeGreaterThan(0.6)
    expect(await evening('fibre')).toBeGreaterThan(0.96)
  })

  it('carry about what was sold: fibre all of it, copper what its length leaves', async () => {
    const rows = await sql<{ id: number; technology: string; sold: string }>(
      `SELECT c.agent_id AS id, c.custom->>'technology' AS technology, p.download_bits_sec AS sold
       FROM current_metadata c JOIN packages p ON p.id = c.package_id JOIN agents a ON a.id = c.agent_id
       WHERE c.panel_id = 1 AND a.kind IN ('whitebox', 'cpe') AND c.from_day = '2026-04-06'`,
    )
    const medians = await ask<{ agent: number; median: number }>(
      `SELECT agent, quantileExact(0.5)(bytes_sec) * 8 AS median FROM db.httpget
       WHERE panel = 1 AND threads = 8 AND bytes_sec > 0 GROUP BY agent HAVING count() > 20`,
    )
    const attained = (technology: string): number[] =>
      rows
        .filter((row) => row.technology === technology)
        .flatMap((row) =>
          medians.filter(({ agent }) => agent === row.id).map(({ median }) => median / Number(row.sold)),
        )
    const spread = (values: number[]) => Math.max(...values) - Math.min(...values)
    for (const share of attained('fibre')) expect(share).toBeCloseTo(1, 0.9)
    expect(spread(attained('fibre'))).toBeLessThan(0.15)
    expect(spread(attained('vdsl'))).toBeGreaterThan(0.2)
    for (const share of attained('vdsl')) expect(share).toBeLessThan(1.15)
  })

  it('have a latency of their technology, and IPv6 on a share of them', async () => {
    const latency = async (technology: string) =>
      (
        await one(`SELECT quantileExact(0.5)(rtt_avg) AS median FROM db.latency WHERE panel = 1
                  AND agent IN (${await agentsWith(`c.custom->>'technology' = '${technology}' AND c.from_day = '2026-04-06'`)})`)
      )['median'] ?? 0
    expect(await latency('fibre')).toBeLessThan(await latency('vdsl'))
    const { share } = await one(`SELECT countIf(ip_version = 6) / count() AS share FROM db.httpget WHERE panel = 1`)
    expect(share).toBeGreaterThan(0.15)
    expect(share).toBeLessThan(0.4)
  })
})

describe('oddities, for the prefilter to find', () => {
  it.each([
    ['httpget', 'bytes_sec <= 0'],
    ['httpget', 'bytes_sec * 8 > 10e9'],
    ['httpget', 'successes = 1 AND warmup_time IS NULL'],
    ['httpget', 'warmup_time <= 0'],
    ['webget', 'fetch_time < 50000'],
    ['webget', 'fetch_time > 30e6'],
    ['latency', 'successes + failures < 50'],
    ['latency', 'rtt_min < 500'],
    ['latency', 'rtt_max - rtt_min > 300000'],
    ['latency', 'successes > 0 AND failures > 0.1 * (successes + failures)'],
    ['ping', 'rtt_avg <= 0'],
    ['jitter', 'jitter_down < 0'],
    ['jitter', 'jitter_up > 10e6'],
    ['dns', 'rtt <= 0'],
    ['dns', 'rtt > 10e6'],
    ['netflix', "successes = 1 AND error <> 'stall'"],
    ['netflix', 'prebuffering_duration > 10e6'],
    ['youtube', 'prebuffering_duration > 10e6'],
    ['network_usage', 'wan_rx_bytes < 0'],
    ['network_usage', 'wan_rx_bytes > 100e9'],
    ['network_usage', 'sk_rx_bytes > wan_rx_bytes AND wan_rx_bytes > 0'],
    ['mobile_latency', "rtt_max - rtt_min > 300000 AND cellular_technology <> '2G'"],
  ])('%s has results with %s, and few', async (test, condition) => {
    const { rows, share } = await one(
      `SELECT countIf(${condition}) AS rows, rows / count() AS share FROM db.${test} WHERE panel = 1`,
    )
    expect(rows).toBeGreaterThan(0)
    expect(share).toBeLessThan(0.01)
  })
})

describe('phones', () => {
  it('are of several makes, carriers and radios, and sometimes abroad', async () => {
    const row = await one(`
      SELECT uniqExact(model) AS models, uniqExact(carrier_name) AS carriers, uniqExact(operating_system_version) AS systems,
        countIf(connection_type = 'Wi-Fi' AND cellular_technology IS NOT NULL) AS both,
        uniqExact(geo_country) AS countries FROM db.mobile_latency WHERE panel = 1`)
    expect(row).toMatchObject({ models: 5, carriers: 4, both: 0 })
    expect(row['systems']).toBeGreaterThan(2)
    const speeds = await ask<{ radio: string; median: number }>(
      `SELECT cellular_technology AS radio, quantileExact(0.5)(bytes_sec) AS median FROM db.mobile_download
       WHERE panel = 1 AND connection_type = 'Cellular' AND cellular_technology <> '2G' GROUP BY radio ORDER BY median DESC`,
    )
    expect(speeds.map(({ radio }) => radio)).toEqual(['5G', '4G', '3G'])
  })
})

describe('timelines', () => {
  it('tell of moves, corrected zones, missing packages and agents nobody knows', async () => {
    const [row] = await sql<Record<string, number>>(`
      WITH versions AS (
        SELECT spans.*, lag(spans.package_id) OVER agent AS package_before, lag(spans.zone_id) OVER agent AS zone_before
        FROM spans JOIN current_metadata USING (agent_id) WHERE panel_id = 1
        WINDOW agent AS (PARTITION BY spans.agent_id ORDER BY spans.from_day)
      )
      SELECT count(*) FILTER (WHERE package_before <> package_id)::int AS moves,
        count(*) FILTER (WHERE zone_before = (SELECT id FROM zones WHERE name = 'UTC') AND zone_id <> zone_before)::int AS corrections,
        (SELECT count(*) FROM current_metadata WHERE panel_id = 1 AND isp_id IS NOT NULL AND package_id IS NULL)::int AS unpackaged,
        (SELECT count(*) FROM current_metadata WHERE panel_id = 1 AND isp_id IS NULL AND custom = '{}')::int AS unknown,
        (SELECT count(DISTINCT zone_id) FROM current_metadata WHERE panel_id = 1)::int AS zones,
        (SELECT count(*) FROM current_metadata WHERE panel_id = 1 AND custom ? 'campaign')::int AS recruited
      FROM versions`)
    expect(row?.['moves']).toBeGreaterThan(agents * 0.03)
    expect(row?.['corrections']).toBeGreaterThan(agents * 0.015)
    expect(row?.['unpackaged']).toBeGreaterThan(0)
    expect(row?.['unknown']).toBeGreaterThan(0)
    expect(row?.['zones']).toBeGreaterThanOrEqual(10)
    expect(row?.['recruited']).toBeGreaterThan(agents * 0.1)
  })

  it('move the speeds with the package, on the day of the move', async () => {
    const moves = await sql<{ id: number; day: string; before: string; after: string }>(`
      SELECT v.agent_id AS id, from_day::text AS day, was.download_bits_sec AS before, is_.download_bits_sec AS after
      FROM (SELECT spans.*, lag(spans.package_id) OVER (PARTITION BY spans.agent_id ORDER BY spans.from_day) AS package_before
            FROM spans JOIN current_metadata USING (agent_id) WHERE panel_id = 1) v
        JOIN packages was ON was.id = package_before JOIN packages is_ ON is_.id = v.package_id
        JOIN agents a ON a.id = v.agent_id AND a.kind IN ('whitebox', 'cpe')
      WHERE is_.download_bits_sec > 8 * was.download_bits_sec`)
    expect(moves.length).toBeGreaterThan(2)
    for (const { id, day } of moves) {
      const { before, after, neither } = await one(`
        SELECT maxIf(bytes_sec, toDate(dtime) < '${day}') AS before, quantileExactIf(0.5)(bytes_sec, toDate(dtime) >= '${day}') AS after,
          countIf(bytes_sec IS NULL OR toDate(dtime) < '${day}') = count() AS neither
        FROM db.httpget WHERE agent = ${id} AND threads = 8 AND bytes_sec BETWEEN 1 AND 1.25e9`)
      if (!neither) expect(after).toBeGreaterThan(2 * (before ?? 0))
    }
  })
})

describe('tenants', () => {
  it('have panels of their own, with agents, units and rows of their own', async () => {
    const rows = await ask(
      `SELECT panel, uniqExact(agent) AS agents, min(agent) AS first, max(agent) AS last FROM db.httpget GROUP BY panel ORDER BY panel`,
    )
    expect(rows).toHaveLength(2)
    expect(rows[1]?.['first']).toBeGreaterThan(rows[0]?.['last'] ?? Infinity)
    const isps = await sql<{ name: string }>(
      `SELECT DISTINCT isps.name FROM current_metadata c JOIN isps ON isps.id = c.isp_id JOIN agents a ON a.id = c.agent_id
       WHERE c.panel_id = 2 AND a.kind <> 'mobile'`,
    )
    expect(isps.map(({ name }) => name)).toEqual(['Acme Broadband'])
  })
})
