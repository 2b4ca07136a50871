import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeTimelines, type TimelineRow } from '../../../../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../../src/engine/postgres/operator/import-packages.ts'
import { createPanel } from '../../../../src/engine/postgres/operator/panels.ts'
import { until } from '../../../faults/attempt.ts'
import { agent, asLines, organisation } from '../../../kit/panels.ts'
import { runSql } from '../../../kit/run-sql.ts'
import { openWorld, type World } from '../../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  await organisation(world, 'other')
  const speeds = { download_bits_sec: null, upload_bits_sec: null }
  await world.operate(async (operator) => {
    const packages = [
      { isp: 'Acme', package: 'One', ...speeds },
      { isp: 'Acme', package: 'Two', ...speeds },
      { isp: 'Borough', package: 'Three', ...speeds },
    ]
    await importPackages(operator, asLines(packages.map((row, line) => ({ line, row }))), () => {})
    for (const [panel, owner] of [
      ['homes', 'acme'],
      ['elsewhere', 'other'],
    ] as const) {
      await createPanel(operator, { key: panel, name: panel, owner })
      const rows = [1, 2, 3].map((number) => ({ line: number, row: agent({ agent_id: `${panel}-${number}` }) }))
      await importAgents(operator, panel, asLines(rows), () => {})
    }
  })
})
afterAll(() => world.close())

const row = (agentId: string, fromDay: string, values: Partial<TimelineRow>): TimelineRow => ({
  agent_id: agentId,
  from_day: fromDay,
  isp: null,
  package: null,
  timezone: null,
  custom: '{}',
  ...values,
})

const change = (...rows: TimelineRow[]) =>
  world.operate((operator) =>
    changeTimelines(
      operator,
      'homes',
      asLines(rows.map((one, index) => ({ line: index + 2, row: one }))),
      { requestId: 'import', request: { file: 'history.csv' } },
      () => {},
    ),
  )

/**
 * The timeline of an agent, from the arrays in `current_metadata` that ClickHouse reads. Also checks that these arrays
 * contain every stored span.
 */
async function timeline(agentId: string): Promise<string[]> {
  const rows = await runSql<{ text: string }>(
    world.superuserUrl,
    `SELECT concat_ws(' ', s.from_day, coalesce(i.name, '-') || ':' || coalesce(p.name, '-'), coalesce(z.name, '-'), s.custom) AS text
     FROM agents a JOIN current_metadata c ON c.agent_id = a.id
       CROSS JOIN unnest(c.days, c.span_ids) WITH ORDINALITY AS listed (day, span, position)
       JOIN spans s ON s.agent_id = a.id AND s.from_day = listed.day AND s.id = listed.span
       LEFT JOIN isps i ON i.id = s.isp_id LEFT JOIN packages p ON p.id = s.package_id LEFT JOIN zones z ON z.id = s.zone_id
     WHERE a.agent_id = $1 ORDER BY position`,
    [agentId],
  )
  const [count] = await runSql<{ n: number }>(
    world.superuserUrl,
    'SELECT count(*)::int AS n FROM spans JOIN agents a ON a.id = spans.agent_id WHERE a.agent_id = $1',
    [agentId],
  )
  expect(count?.n).toBe(rows.length)
  return rows.map(({ text }) => text)
}

const events = () =>
  runSql<{ from_day: string; agents: number[]; request: unknown; organisation_id: number }>(
    world.superuserUrl,
    `SELECT from_day::text, agents, request, organisation_id FROM metadata_events WHERE request_id = 'import' ORDER BY id`,
  )

it('writes many agents and days at once, years back, for any order of the lines', async () => {
  const result = await change(
    row('homes-1', '2021-06-01', { isp: 'Borough', package: 'Three', custom: '{"technology":"cable"}' }),
    row('HOMES 1', '2019-01-01', {
      isp: 'Acme',
      package: 'One',
      timezone: 'Europe/London',
      custom: '{"technology":"dsl","floor":2}',
    }),
    row('homes-2', '2019-01-01', {
      isp: 'Acme',
      package: 'One',
      timezone: 'Europe/London',
      custom: '{"technology":"dsl","floor":2}',
    }),
    row('homes-2', '2020-02-29', { timezone: 'Asia/Kathmandu' }),
    row('homes-2', '2024-01-01', { isp: 'Acme' }),
  )
  expect(result).toEqual({ lines: 5, created: 0, changed: 2 })
  expect(await timeline('homes-1')).toEqual([
    '1970-01-01 -:- - {}',
    '2019-01-01 Acme:One Europe/London {"floor": 2, "technology": "dsl"}',
    '2021-06-01 Borough:Three Europe/London {"floor": 2, "technology": "cable"}',
  ])
  expect(await timeline('homes-2')).toEqual([
    '1970-01-01 -:- - {}',
    '2019-01-01 Acme:One Europe/London {"floor": 2, "technology": "dsl"}',
    '2020-02-29 Acme:One Asia/Kathmandu {"floor": 2, "technology": "dsl"}',
    '2024-01-01 Acme:- Asia/Kathmandu {"floor": 2, "technology": "dsl"}',
  ])
  expect(await timeline('homes-3')).toEqual(['1970-01-01 -:- - {}'])
})

it('keeps an event for each day, of the owner, with its source, and creates the custom fields', async () => {
  expect(await events()).toMatchObject([
    { from_day: '2019-01-01', agents: [1, 2], request: { file: 'history.csv' }, organisation_id: 1 },
    { from_day: '2020-02-29', agents: [2] },
    { from_day: '2021-06-01', agents: [1] },
    { from_day: '2024-01-01', agents: [2] },
  ])
  const fields = await runSql(world.superuserUrl, 'SELECT organisation_id, key FROM custom_fields ORDER BY key')
  expect(fields).toEqual([
    { organisation_id: 1, key: 'floor' },
    { organisation_id: 1, key: 'technology' },
  ])
})

it('accepts the same values again without a new span', async () => {
  const spans = () => runSql(world.superuserUrl, 'SELECT agent_id, id FROM spans ORDER BY 1, 2')
  const before = await spans()
  await change(row('homes-1', '2019-01-01', { timezone: 'Europe/London' }))
  expect(await spans()).toEqual(before)
})

it('refuses what it cannot resolve, names the lines, and writes nothing', async () => {
  const [tomorrow, before] = [Temporal.Now.plainDateISO('UTC').add({ days: 1 }).toString(), await events()]
  const faults = change(
    row('homes-3', '2020-01-01', { timezone: 'Europe/London' }),
    row('elsewhere-1', '2020-01-01', {}),
    row('nobody', '2020-01-01', {}),
    row('homes-3', '2020-01-02', { isp: 'Nobody' }),
    row('homes-3', '2020-01-03', { package: 'One' }),
    row('homes-3', '2020-01-04', { isp: 'Borough', package: 'One' }),
    row('homes-3', '2020-01-05', { timezone: 'europe/london' }),
    row('Homes-3', '2020-01-01', { custom: '{"a":1}' }),
    row('homes-3', tomorrow, {}),
  )
  await expect(faults).rejects.toThrow(
    [
      'line 3: agent_id: is not on this panel',
      'line 4: agent_id: is not on this panel',
      'line 5: isp: is not in the catalogue',
      'line 6: package: needs an ISP',
      'line 6: package: is not in the catalogue',
      'line 7: package: is not in the catalogue',
      'line 8: timezone: is not known',
      'line 9: agent_id: has another line for the same day',
      'line 10: from_day: is in the future',
    ]
      .map((line) => `  ${line}`)
      .join('\n'),
  )
  expect(await timeline('homes-3')).toEqual(['1970-01-01 -:- - {}'])
  expect(await events()).toEqual(before)
})

it('does not name an agent that is erased while the change waits for its timeline', async () => {
  const erasing = new Client({ connectionString: world.superuserUrl })
  await erasing.connect()
  await erasing.query('BEGIN')
  await erasing.query(`SELECT begin_erasure('homes-2')`)
  const changing = change(
    row('homes-2', '2022-01-01', { timezone: 'Europe/London' }),
    row('homes-3', '2022-01-01', { timezone: 'Europe/London' }),
  )
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await until(async () => (await runSql(world.superuserUrl, waiting)).length > 0, 10_000)
  await erasing.query('COMMIT')
  await erasing.end()
  expect(await changing).toEqual({ lines: 2, created: 0, changed: 1 })
  expect((await events()).at(-1)).toMatchObject({ from_day: '2022-01-01', agents: [3] })
})
