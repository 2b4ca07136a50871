import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { organisation } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { synthPanel } from '../kit/synth-panel.ts'
import { openWorld, type World } from '../kit/world.ts'
import { clusterings } from './clustering.ts'
import { properties } from './properties.ts'

const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const size = isDeep ? { agents: 1600, days: 30, phones: 300 } : { agents: 300, days: 5, phones: 80 }
const firstDay = Temporal.PlainDate.from('2026-04-15').subtract({ days: size.days - 1 })
const lineTests = ['httpget', 'latency', 'ping', 'jitter', 'dns', 'traceroute', 'webget', 'network_usage']

const measured = [
  ...properties.map(({ published, source, basis, ...rest }) => ({
    ...rest,
    columns: [published, source, basis],
  })),
  ...clusterings.map(({ reason, ...rest }) => ({ ...rest, columns: [reason] })),
].filter((one) => isDeep || one.isDeep !== true)
const table: string[] = []
let world: World
let clickhouse: ClickHouse
let lines: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'regulator')
  const { agents, days, phones } = size
  const owner = 'regulator'
  await synthPanel(world, { agents, days, owner, panel: 'national', kinds: ['whitebox', 'cpe'], tests: lineTests })
  await synthPanel(world, {
    agents: phones,
    days,
    owner,
    panel: 'phones',
    kinds: ['mobile'],
    tests: ['mobile_download', 'mobile_latency'],
  })
  clickhouse = world.engine('QUERY')
  lines = await findLines()
}, 1_800_000)
afterAll(async () => {
  await world.close()
  if (isDeep) process.stdout.write(`${table.join('\n')}\n`)
})

/** The lines that have had the same package on all days, as a common table expression. */
async function findLines(): Promise<string> {
  const rows = await runSql<{ line: string }>(
    world.superuserUrl,
    `SELECT format('(%s, %L, %L, %L, %L, %s)', c.agent_id, c.custom->>'technology', c.custom->>'region', i.name, p.name, p.download_bits_sec) AS line
     FROM current_metadata c JOIN isps i ON i.id = c.isp_id JOIN current_packages p ON p.id = c.package_id
       JOIN agents a ON a.id = c.agent_id
     WHERE a.kind <> 'mobile' AND c.from_day <= $1`,
    [firstDay.toString()],
  )
  const columns = 'agent UInt32, technology String, region String, isp String, package String, sold Float64'
  return `lines AS (SELECT * FROM values('${columns}', ${rows.map(({ line }) => line).join()}))`
}

it.each(measured)(
  '$name is within its band',
  async ({ name, unit, band: [low, high], columns, query }) => {
    const text = `WITH ${lines} ${query.replaceAll('db.', `${world.name}.`)}`
    const result = await clickhouse.nodes[0]?.query({ query: text, format: 'JSONEachRow' })
    const [row] = (await result?.json<{ value: number }>()) ?? []
    const value = row?.value ?? NaN
    const cells = [
      name,
      `${Number(value.toPrecision(unit === '' ? 4 : 3))} ${unit}`,
      `${low}–${high} ${unit}`,
      ...columns,
    ].map((cell) => cell.trim())
    table.push(`| ${cells.join(' | ')} |`)
    expect(value).toBeGreaterThanOrEqual(low)
    expect(value).toBeLessThanOrEqual(high)
  },
  120_000,
)
