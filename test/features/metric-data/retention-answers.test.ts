import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeTimelines } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { openExportWorld, shownOf, type ExportWorld, type Shown } from '../exports/export-world.ts'
import { parseFile } from '../exports/parse-file.ts'
import { until } from '../../faults/attempt.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { asLines, panel } from '../../kit/panels.ts'
import { settle } from '../../kit/settle.ts'

const keepDays = 30
/**
 * The number of days with results, which is more than the retention keeps. ClickHouse drops only whole parts, so it may
 * still store some results of an expired day.
 */
const storedDays = 45

let exports: ExportWorld
let firstStored: Temporal.PlainDate
let storedUntil: Temporal.PlainDate

beforeAll(async () => {
  exports = await openExportWorld(null, { BROADGAUGE_RETENTION_DAYS: `ping=${keepDays}` })
  const { world } = exports
  await panel(world, 'homes', 'acme', ['whitebox'])
  // This zone is the first in the world in which a day begins. A result at noon UTC belongs to the next local day.
  const east = { agent_id: 'homes-whitebox', from_day: '2020-01-01', timezone: 'Pacific/Kiritimati' }
  const rows = asLines([{ line: 1, row: { ...east, isp: null, package: null, custom: '{}' } }])
  await world.operate((operator) =>
    changeTimelines(operator, 'homes', rows, { requestId: 'east', request: {} }, () => {}),
  )
  firstStored = today().subtract({ days: storedDays - 1 })
  await store(firstStored, today())
  await settle(world)
}, 60_000)
afterAll(() => exports.world.close())

const today = () => Temporal.Now.plainDateISO('UTC')

const daysFrom = (first: Temporal.PlainDate, last: Temporal.PlainDate): string[] =>
  Array.from({ length: first.until(last).days + 1 }, (_, index) => first.add({ days: index }).toString())

/** Stores one result at noon UTC for each day. */
async function store(first: Temporal.PlainDate, last: Temporal.PlainDate): Promise<void> {
  const result = { agent: 'homes-whitebox', target: 'n1', rtt_avg: 12_000 }
  const rows = daysFrom(first, last).map((day) => ({ ...result, dtime: `${day} 12:00:00.000` }))
  await storeFacts(exports.world, 'ping', rows)
  storedUntil = last
}

const raw = {
  metric: 'ping',
  chartType: 'raw',
  normalised: false,
  prefilter: false,
  time: { from: '-60 days', to: '+2 days' },
}
const daily = { ...raw, chartType: 'aggregate', aggregation: 'daily' }
const records = { test: 'ping', date: { from: '-60 days', to: 'now' } }

/** The distinct days in a response. The days of points are local, the days of records are UTC. */
const daysOf = (rows: readonly Record<string, unknown>[]) =>
  [...new Set(rows.map((row) => String(row['dtime']).slice(0, 10)))].toSorted()

async function answers(api: string, path: string, body: object) {
  const answer = await call(`${api}${path}`, {
    method: 'POST',
    token: exports.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { from: answer.headers.get('x-results-from'), days: daysOf(await rowsOf(answer)) }
}

/** The rows of a response: its records, the points of its series, or the rows of the file that it names. */
async function rowsOf(answer: Answer): Promise<Record<string, unknown>[]> {
  const { data } = answer.body as { data: Record<string, unknown>[] | Shown }
  if (Array.isArray(data)) return (data[0]?.['metricData'] as Record<string, unknown>[] | undefined) ?? data
  await until(async () => shownOf(await exports.read(data.id)).status === 'complete', 60_000)
  const { url } = shownOf(await exports.read(data.id))
  return parseFile('csv', new Uint8Array(await (await fetch(url ?? '')).arrayBuffer()))
}

/** Stores the results up to today first. Runs `work` again if the day has changed during the work. */
async function withinADay<Result>(work: () => Promise<Result>): Promise<{ day: Temporal.PlainDate; found: Result }> {
  const day = today()
  if (!day.equals(storedUntil)) await store(storedUntil.add({ days: 1 }), day)
  const found = await work()
  return day.equals(today()) ? { day, found } : withinADay(work)
}

it.each([
  ['/metric_data', 'daily', daily],
  ['/metric_data', 'raw', raw],
  ['/metric_data.csv', 'daily', daily],
  ['/metric_data.csv', 'raw', raw],
])('a partly expired local day is not answered: %s, %s', async (path, _which, body) => {
  const { day, found } = await withinADay(() => answers(exports.service.addresses.api, path, body))
  const first = day.subtract({ days: keepDays - 2 })
  // The result of the first local day was measured on the UTC day before, which the retention keeps too.
  expect(found).toEqual({ days: daysFrom(first, day.add({ days: 1 })), from: first.toString() })
})

it.each(['/test_data', '/test_data.csv'])('a partly expired UTC day is not answered: %s', async (path) => {
  const { day, found } = await withinADay(() => answers(exports.service.addresses.api, path, records))
  const first = day.subtract({ days: keepDays - 2 })
  expect(found).toEqual({ days: daysFrom(first, day), from: first.toString() })
})

it('a repeated idempotent export request has the same X-Results-From header', async () => {
  const headers = { 'idempotency-key': 'the-same' }
  const { found } = await withinADay(async () => [
    await exports.ask('/test_data_download', records, headers),
    await exports.ask('/test_data_download', records, headers),
  ])
  const [first, again] = found.map((one) => [shownOf(one).id, one.headers.get('x-results-from')])
  expect(first?.[1]).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(again).toEqual(first)
})

it('a range that begins inside the retention has no X-Results-From header', async () => {
  const { day, found } = await withinADay(() =>
    answers(exports.service.addresses.api, '/test_data', { ...records, date: { from: '-5 days', to: 'now' } }),
  )
  expect(found).toEqual({ days: daysFrom(day.subtract({ days: 5 }), day), from: null })
})

it.each([
  ['/metric_data', daily, 1],
  ['/test_data', records, 0],
])('without retention all results are answered: %s', async (path, body, shift) => {
  const { api } = (await exports.world.serve({ BROADGAUGE_EXPORTS_MAX: '0' })).addresses
  const { day, found } = await withinADay(() => answers(api, path, body))
  const [first, last] = [firstStored, day].map((one) => one.add({ days: shift }))
  expect(found).toEqual({ days: daysFrom(first ?? day, last ?? day), from: null })
})
