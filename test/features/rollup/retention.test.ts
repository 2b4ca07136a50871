import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { changeTimelines } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { rollupTerms } from '../../../src/compile/rollup/rollup-terms.ts'
import { buildNext, recordStored } from '../../../src/jobs/rollup/build-rollups.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ageResults, withRollupStores } from './build.ts'
import { runCommand } from './run-command.ts'

const keepDays = 60
/**
 * The number of days with results, which is more than the retention keeps. ClickHouse drops results and rollup rows
 * only part by part.
 */
const storedDays = 75

let world: World
let base: string
let secret: string
/** The last day with results. */
let last: Temporal.PlainDate

const today = () => Temporal.Now.plainDateISO('UTC')

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  world.environment['BROADGAUGE_RETENTION_DAYS'] = `ping=${keepDays}`
  await organisation(world, 'acme')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'homes', owner: 'acme' })
    const rows = ['here', 'east'].map((agent_id) => agent({ agent_id }))
    await importAgents(operator, 'homes', asLines(rows.map((row, line) => ({ line, row }))), () => {})
    // This zone is the first in the world in which a day begins. A result at noon UTC belongs to the next local day.
    const east = { agent_id: 'east', from_day: '2020-01-01', timezone: 'Pacific/Kiritimati' }
    const moved = asLines([{ line: 1, row: { ...east, isp: null, package: null, custom: '{}' } }])
    await changeTimelines(operator, 'homes', moved, { requestId: 'east', request: {} }, () => {})
  })
  last = today()
  const days = Array.from({ length: storedDays }, (_, index) => last.subtract({ days: index }).toString())
  await storeFacts(
    world,
    'ping',
    days.flatMap((day, index) =>
      ['here', 'east'].map((one) => ({
        agent: one,
        dtime: `${day} 12:00:00.000`,
        target: 'n1',
        rtt_avg: 10_000 + index * 100,
      })),
    ),
  )
  await ageResults(world, ['ping'])
  await settle(world)
  await stopMerges()
  // First build as of 25 days ago. At that time, days were valid that have expired by now. Then build the later days.
  await buildAsOf(today().subtract({ days: 25 }))
  await buildAsOf(today())
  secret = await token(world, 'acme')
  base = (await world.serve()).addresses.api
}, 120_000)
afterAll(() => world.close())

/** Stops merges. ClickHouse removes expired rollup rows only in merges, so these rows stay. */
async function stopMerges(): Promise<void> {
  const { nodes, database, cluster } = world.engine('ADMIN')
  for (const node of nodes)
    await node.command({ query: `SYSTEM STOP MERGES ${database}.metric_rollup${cluster === null ? '' : '_shard'}` })
}

/** Builds every rollup that the rollup job would have built on that day, with the retention of the service. */
const buildAsOf = (day: Temporal.PlainDate): Promise<void> =>
  withRollupStores(world, async (given) => {
    const terms = rollupTerms(catalog, new Map([['ping', keepDays]]))
    const stores = { ...given, terms, now: () => day.toZonedDateTime('UTC').toInstant() }
    await recordStored(stores)
    let outcome = 'built'
    while (outcome === 'built') ({ outcome } = await buildNext(stores))
    expect(outcome).toBe('nothing')
  })

const request = {
  metric: 'ping',
  chartType: 'aggregate',
  normalised: false,
  prefilter: false,
  time: { from: '-90 days', to: '+2 days' },
}

type Point = { dtime: string; median?: unknown; percentiles?: unknown }

async function points(aggregation: string, percentiles: string): Promise<Point[]> {
  const { body } = await call(`${base}/metric_data`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, aggregation, percentiles, intervals: 'results' }),
  })
  const [series] = body['data'] as { metricData: Point[] }[]
  return (series?.metricData ?? []).map(({ median: _median, percentiles: _percentiles, ...point }) => point)
}

/** Runs `work` again if the day has changed during the work. */
async function withinADay<Result>(work: () => Promise<Result>): Promise<{ day: Temporal.PlainDate; found: Result }> {
  const day = today()
  const found = await work()
  return day.equals(today()) ? { day, found } : withinADay(work)
}

const daysFrom = (from: Temporal.PlainDate, to: Temporal.PlainDate): string[] =>
  Array.from({ length: from.until(to).days + 1 }, (_, index) => from.add({ days: index }).toString())

it('a query from the rollup contains no expired day', { timeout: 60_000 }, async () => {
  const { day, found } = await withinADay(async () => ({
    daily: [await points('daily', 'none'), await points('daily', 'exact')],
    monthly: [await points('monthly', 'none'), await points('monthly', 'exact')],
  }))
  const [daily = [], fromResults] = found.daily
  // The newest results of the agent in the east belong to the next local day.
  const first = day.subtract({ days: keepDays - 2 })
  expect(daily.map(({ dtime }) => dtime.slice(0, 10))).toEqual(daysFrom(first, last.add({ days: 1 })))
  expect(daily).toEqual(fromResults)
  const [monthly = [], monthlyFromResults] = found.monthly
  expect(monthly.length).toBeGreaterThan(1)
  expect(monthly).toEqual(monthlyFromResults)
  const asked = { ...request, aggregation: 'daily', percentiles: 'none', intervals: 'results' }
  const { text } = await runCommand(world, 'explain', JSON.stringify(asked), '--organisation', 'acme')
  // The rollup has the days from the first kept day to the last day that is old enough. If the day has changed since
  // the build, there is one day less.
  expect(text).toMatch(/\n2[89] days are read from rollups \(none\), the other days from results\./)
})
