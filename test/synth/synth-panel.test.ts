import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'
import { organisation } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { synthPanel } from '../kit/synth-panel.ts'
import { openWorld, type World } from '../kit/world.ts'

/**
 * The panel is so large that every statistic below is many standard deviations away from its bounds. The seed is fixed
 * too.
 */
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
  await synthPanel(world, {
    agents: 200,
    days,
    owner: 'regulator',
    panel: 'odd',
    geography: 'odd-zones',
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

/** The numbers of the agents that match `condition`, as a list for IN. */
async function agentsWith(condition: string, panel = 'national'): Promise<string> {
  const rows = await sql<{ id: number }>(
    `SELECT c.agent_id AS id FROM current_metadata c JOIN zones z ON z.id = c.zone_id JOIN panels p ON p.id = c.panel_id
     WHERE p.key = '${panel}' AND ${condition}`,
  )
  expect(rows.length).toBeGreaterThan(5)
  return rows.map(({ id }) => id).join()
}

describe('every test', () => {
  it.each(catalog.tests.map((test) => [test.key, test] as const))(
    '%s has valid rows by the catalogue',
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
    '%s fails sometimes, and then measures nothing',
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
  it.each([
    ['national', 'Europe/London'],
    ['odd', 'Asia/Kathmandu'],
    ['odd', 'Australia/Lord_Howe'],
  ])(
    'of the panel %s have speed tests with several connections and with one in each block of the day in %s',
    async (panel, zone) => {
      const inZone = await agentsWith(`z.name = '${zone}'`, panel)
      const row = await one(`
      SELECT max(tests) AS most, sum(tests) / (uniqExact(agent) * 12 * ${days}) AS share, uniqExact(block) AS blocks,
        arraySort(groupUniqArray(threads)) AS threads
      FROM (
        SELECT agent, toDate(dtime, '${zone}') AS day, arrayLastIndex(h -> h <= toHour(dtime, '${zone}'), [0, 6, 12, 18, 20, 22]) AS block, threads, count() AS tests
        FROM db.httpget WHERE agent IN (${inZone}) AND dictGet('db.agents', 'kind', agent) IN ('whitebox', 'cpe')
          -- Not the heavy testers.
          AND agent GLOBAL NOT IN (SELECT agent FROM db.httpget GROUP BY agent HAVING count() > 20 * uniqExact(toDate(dtime)))
        GROUP BY agent, day, block, threads
      )`)
      expect(row).toMatchObject({ most: 1, blocks: 6, threads: [1, 8] })
      // A zone of the odd panel has few agents, of which one may be absent for most of the days.
      expect(row['share']).toBeGreaterThan(0.7)
    },
  )

  it('runs the other tests every hour, around the clock', async () => {
    const rows = await ask(`
      SELECT toHour(dtime) AS hour, count() / uniqExact(agent) / ${days} AS share FROM db.latency
      WHERE panel = 1 AND dictGet('db.agents', 'kind', agent) = 'whitebox' GROUP BY hour ORDER BY hour`)
    expect(rows).toHaveLength(24)
    for (const { share } of rows) expect(share).toBeGreaterThan(0.85)
  })

  it('have heavy testers, at most five times as diligent as others, and one outlier, every ten minutes', async () => {
    const rows = await ask(
      `SELECT agent, count() AS tests FROM db.httpget WHERE panel = 1 GROUP BY agent ORDER BY tests DESC`,
    )
    expect(rows[0]?.['agent']).toBe(1)
    expect(rows[0]?.['tests']).toBeGreaterThan(5 * (rows[1]?.['tests'] ?? 0))
    const median = rows[Math.floor(rows.length / 2)]?.['tests'] ?? 0
    expect((rows[1]?.['tests'] ?? 0) / median).toBeLessThan(5)
    expect((rows[1]?.['tests'] ?? 0) / median).toBeGreaterThan(3)
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

  it('are slower in the evening if neighbours share them, and hardly if they do not', async () => {
    expect(await evening('cable')).toBeLessThan(0.95)
    expect(await evening('cable')).toBeGreaterThan(0.6)
    expect(await evening('fibre')).toBeGreaterThan(0.96)
  })

  it('have about the sold speed: fibre all of it, copper what its length permits', async () => {
    const rows = await sql<{ id: number; technology: string; sold: string }>(
      `SELECT c.agent_id AS id, c.custom->>'technology' AS technology, p.download_bits_sec AS sold
       FROM current_metadata c JOIN current_packages p ON p.id = c.package_id JOIN agents a ON a.id = c.agent_id
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
    const share = (values: number[], low: number, high: number) =>
      values.filter((value) => value > low && value < high).length / values.length
    expect(share(attained('fibre'), 0.93, 1.1)).toBeGreaterThan(0.85)
    // Some lines are far below what was sold.
    expect(share([...attained('fibre'), ...attained('cable')], 0, 0.75)).toBeGreaterThan(0.01)
    expect(share([...attained('fibre'), ...attained('cable')], 0, 0.75)).toBeLessThan(0.08)
    expect(share(attained('vdsl'), 0.6, 0.96)).toBeGreaterThan(0.6)
    for (const value of [...attained('fibre'), ...attained('vdsl')]) expect(value).toBeLessThan(1.15)
  })

  it('have another level every day, by three to ten per cent', async () => {
    const deviations = await ask<{ deviation: number }>(`
      SELECT stddevSamp(daily) / avg(daily) AS deviation FROM (
        SELECT agent, toDate(dtime, 'Europe/London') AS day, avg(bytes_sec) AS daily FROM db.httpget
        WHERE panel = 1 AND threads = 8 AND bytes_sec BETWEEN 1 AND 1.25e9 AND agent IN (${await agentsWith("c.from_day = '2026-04-06'")})
        GROUP BY agent, day HAVING count() >= 5
      ) GROUP BY agent HAVING count() >= 8 ORDER BY deviation`)
    const at = (fraction: number) => deviations[Math.floor(fraction * deviations.length)]?.deviation
    // The port of the agent limits the fastest lines, so they vary less.
    expect(at(0.1)).toBeGreaterThan(0.01)
    expect(at(0.5)).toBeGreaterThan(0.03)
    expect(at(0.5)).toBeLessThan(0.1)
    expect(at(0.9)).toBeLessThan(0.15)
  })

  it('are slower at noon of a weekend than of a weekday if neighbours share them', async () => {
    const lines = await agentsWith(`c.custom->>'technology' = 'cable' AND c.from_day = '2026-04-06'`)
    const { ratio } = await one(`
      SELECT avgIf(relative, toDayOfWeek(dtime) > 5) / avgIf(relative, toDayOfWeek(dtime) <= 5) AS ratio
      FROM (SELECT agent, dtime, bytes_sec / avg(bytes_sec) OVER (PARTITION BY agent) AS relative FROM db.httpget
            WHERE panel = 1 AND agent IN (${lines}) AND bytes_sec BETWEEN 1 AND 1.25e9 AND threads > 1
              AND toHour(dtime, 'Europe/London') BETWEEN 9 AND 18)`)
    expect(ratio).toBeGreaterThan(0.85)
    expect(ratio).toBeLessThan(0.997)
  })

  it('carry four to eight times as much in the evening as at night, and never more than their speed', async () => {
    const { ratio } = await one(`
      SELECT avgIf(wan_rx_bytes - sk_rx_bytes, toHour(dtime, 'Europe/London') BETWEEN 19 AND 21)
        / avgIf(wan_rx_bytes - sk_rx_bytes, toHour(dtime, 'Europe/London') BETWEEN 2 AND 5) AS ratio
      FROM db.network_usage WHERE panel = 1 AND wan_rx_bytes BETWEEN 0 AND 100e9`)
    expect(ratio).toBeGreaterThan(4)
    expect(ratio).toBeLessThan(8)
    const most = await ask<{ agent: number; rate: number }>(`
      SELECT agent, max(wan_rx_bytes) * 8 / 3600 AS rate FROM db.network_usage
      WHERE panel = 1 AND wan_rx_bytes BETWEEN 0 AND 100e9 GROUP BY agent`)
    const sold = await sql<{ id: number; speed: string }>(
      `SELECT c.agent_id AS id, p.download_bits_sec AS speed FROM current_metadata c JOIN current_packages p ON p.id = c.package_id
       WHERE c.panel_id = 1 AND c.from_day = '2026-04-06'`,
    )
    const speeds = new Map(sold.map(({ id, speed }) => [id, Number(speed)]))
    expect(most.filter(({ agent, rate }) => rate > (speeds.get(agent) ?? Infinity))).toEqual([])
  })

  it('have a latency of their technology, and a part of them has IPv6', async () => {
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

describe('failures', () => {
  const failed = async (test: string, technologies: string) => {
    const lines = await agentsWith(`c.custom->>'technology' IN (${technologies}) AND c.from_day = '2026-04-06'`)
    const { share } = await one(
      `SELECT countIf(successes = 0) / count() AS share FROM db.${test} WHERE panel = 1 AND agent IN (${lines})`,
    )
    return share ?? NaN
  }

  // Not of latency: on a panel this small, one outage of an ISP outweighs the outages of single lines.
  it.each(['dns', 'webget'])('of %s are several times as frequent on a bad technology', async (test) => {
    const [good, bad] = [await failed(test, `'fibre'`), await failed(test, `'adsl', 'fixed wireless', 'satellite'`)]
    expect(bad).toBeGreaterThan(1.5 * good)
    expect(bad).toBeLessThan(0.08)
  })

  it('come in bursts: after a failed test the next one of the line fails too, in one case of five or more', async () => {
    const { again, share } = await one(`
      SELECT countIf(fails AND before) / countIf(before) AS again, countIf(fails) / count() AS share
      FROM (SELECT successes = 0 AS fails, lagInFrame(successes = 0) OVER (PARTITION BY agent ORDER BY dtime) AS before
            FROM db.latency WHERE panel = 1 AND dictGet('db.agents', 'kind', agent) <> 'web')`)
    expect(share).toBeLessThan(0.02)
    expect(again).toBeGreaterThan(0.2)
  })

  it('of packets depend on the radio', async () => {
    const rows = await ask<{ radio: string; loss: number }>(`
      SELECT if(cellular_technology IN ('2G', '3G'), 'older', cellular_technology) AS radio, 1 - sum(packets_received) / sum(packets_sent) AS loss FROM db.mobile_latency
      WHERE panel = 1 AND successes = 1 AND connection_type = 'Cellular' GROUP BY radio ORDER BY loss`)
    expect(rows.map(({ radio }) => radio)).toEqual(['5G', '4G', 'older'])
  })
})

describe('agents', () => {
  it('are off for hours to weeks: a part of them has a gap of more than a day', async () => {
    const { gaps, short } = await one(`
      SELECT countIf(longest > 86400) / count() AS gaps, countIf(longest BETWEEN 8000 AND 86400) / count() AS short FROM (
        SELECT agent, max(gap) AS longest FROM (
          SELECT agent, dateDiff('second', lagInFrame(dtime, 1, dtime) OVER (PARTITION BY agent ORDER BY dtime), dtime) AS gap
          FROM db.latency WHERE panel = 1 AND dictGet('db.agents', 'kind', agent) IN ('whitebox', 'cpe')
        ) GROUP BY agent)`)
    // Absences begin in one half of a period of 28 days, of which this panel has one week.
    expect(gaps).toBeGreaterThan(0.003)
    expect(gaps).toBeLessThan(0.25)
    expect(short).toBeGreaterThan(0.2)
  })

  it('join and leave during the day, not at midnight', async () => {
    const rows = await ask<{ first: string; last: string }>(`
      SELECT toString(min(dtime)) AS first, toString(max(dtime)) AS last FROM db.latency
      WHERE panel = 1 AND dictGet('db.agents', 'kind', agent) IN ('whitebox', 'cpe') GROUP BY agent`)
    const hours = [
      ...rows.filter(({ first }) => first > '2026-04-07').map(({ first }) => Number(first.slice(11, 13))),
      ...rows.filter(({ last }) => last < '2026-04-15').map(({ last }) => Number(last.slice(11, 13))),
    ]
    expect(hours.length).toBeGreaterThan(40)
    expect(hours.filter((hour) => hour >= 8 && hour < 22).length / hours.length).toBeGreaterThan(0.8)
  })
})

describe('odd results, for the prefilter to find', () => {
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

describe('networks', () => {
  const isp = async (name: string) => agentsWith(`(SELECT i.name FROM isps i WHERE i.id = c.isp_id) = '${name}'`)

  it('have different numbers of hops, and more to a far target', async () => {
    const hops = async (condition: string) => {
      const { hops: mean } = await one(
        `SELECT avg(hop) AS hops FROM db.traceroute WHERE panel = 1 AND hop_address = address AND ${condition}`,
      )
      return mean ?? NaN
    }
    const [few, many] = [await isp('Northern Fibre'), await isp('Copperline')]
    expect(await hops(`agent IN (${few})`)).toBeLessThan((await hops(`agent IN (${many})`)) - 1)
    expect(await hops(`target LIKE 'newyork%'`)).toBeGreaterThan((await hops(`target LIKE 'london%'`)) + 2)
  })

  it('have faster and slower resolvers, and pages with faster and slower servers', async () => {
    const lookup = async (name: string) => {
      const { median } = await one(
        `SELECT quantileExact(0.5)(rtt) AS median FROM db.dns WHERE panel = 1 AND agent IN (${await isp(name)})`,
      )
      return median ?? NaN
    }
    expect(await lookup('Copperline')).toBeGreaterThan(1.5 * (await lookup('Acme Broadband')))
    const pages = await ask<{ wait: number }>(
      `SELECT quantileExact(0.5)(ttfb_avg) AS wait FROM db.webget WHERE panel = 1 GROUP BY target ORDER BY wait`,
    )
    expect(pages.at(-1)?.wait).toBeGreaterThan(1.5 * (pages[0]?.wait ?? Infinity))
  })

  it('stream videos at many bitrates', async () => {
    const { different, low, high } = await one(
      `SELECT uniqExact(bitrate) AS different, quantileExact(0.1)(bitrate) AS low, quantileExact(0.9)(bitrate) AS high
       FROM db.netflix WHERE panel = 1`,
    )
    expect(different).toBeGreaterThan(100)
    expect(high).toBeGreaterThan(1.5 * (low ?? Infinity))
  })
})

it('no speed is negative: a test that was cut off has transferred nothing', async () => {
  expect(await one('SELECT min(bytes_sec) AS least FROM db.httpget WHERE panel = 1')).toMatchObject({ least: 0 })
})

describe('phones', () => {
  it('have several makes, carriers and radios, and are sometimes abroad', async () => {
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

it('phones have versions of the operating system of their make: Android 13 to 16, or iOS', async () => {
  const rows = await ask<{ apple: number; version: string }>(
    `SELECT DISTINCT manufacturer = 'Apple' AS apple, operating_system_version AS version FROM db.mobile_latency WHERE panel = 1`,
  )
  const versionsOf = (apple: number) => rows.filter((row) => row.apple === apple).map(({ version }) => version)
  expect(versionsOf(0).toSorted()).toEqual(['13', '14', '15', '16'])
  expect(versionsOf(1).length).toBeGreaterThan(4)
  for (const version of versionsOf(1)) expect(version).toMatch(/^(17|18|26)\.\d/)
})

describe('timelines', () => {
  it('have moves, corrected zones, missing packages and unknown agents', async () => {
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
        (SELECT count(*) FROM current_metadata WHERE panel_id = 1 AND custom ? 'campaign')::int AS recruited
      FROM versions`)
    expect(row?.['moves']).toBeGreaterThan(agents * 0.03)
    expect(row?.['corrections']).toBeGreaterThan(agents * 0.015)
    expect(row?.['unpackaged']).toBeGreaterThan(0)
    expect(row?.['unknown']).toBeGreaterThan(0)
    expect(row?.['recruited']).toBeGreaterThan(agents * 0.1)
  })

  it('change the speeds with the package, on the day of the move', async () => {
    const moves = await sql<{ id: number; day: string; before: string; after: string }>(`
      SELECT v.agent_id AS id, from_day::text AS day, was.download_bits_sec AS before, is_.download_bits_sec AS after
      FROM (SELECT spans.*, lag(spans.package_id) OVER (PARTITION BY spans.agent_id ORDER BY spans.from_day) AS package_before
            FROM spans JOIN current_metadata USING (agent_id) WHERE panel_id = 1) v
        JOIN current_packages was ON was.id = package_before JOIN current_packages is_ ON is_.id = v.package_id
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
  it('have their own panels, with their own agents, units and rows', async () => {
    const rows = await ask(
      `SELECT panel, uniqExact(agent) AS agents, min(agent) AS first, max(agent) AS last FROM db.httpget WHERE panel < 3 GROUP BY panel ORDER BY panel`,
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
