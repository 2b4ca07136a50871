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
/** What lies there is older: parts go only as a whole, and until then some of a day's results are there and some not. */
const storedDays = 45

let keeping: ExportWorld
let firstStored: Temporal.PlainDate
let storedUntil: Temporal.PlainDate

beforeAll(async () => {
  keeping = await openExportWorld(null, { BROADGAUGE_RETENTION_DAYS: `ping=${keepDays}` })
  const { world } = keeping
  await panel(world, 'homes', 'acme', ['whitebox'])
  // Where a day begins first: what is measured there at noon UTC is of the day after.
  const east = { agent_id: 'homes-whitebox', from_day: '2020-01-01', timezone: 'Pacific/Kiritimati' }
  const rows = asLines([{ line: 1, row: { ...east, isp: null, package: null, custom: '{}' } }])
  await world.operate((operator) =>
    changeTimelines(operator, 'homes', rows, { requestId: 'east', request: {} }, () => {}),
  )
  firstStored = today().subtract({ days: storedDays - 1 })
  await store(firstStored, today())
  await settle(world)
}, 60_000)
afterAll(() => keeping.world.close())

const today = () => Temporal.Now.plainDateISO('UTC')

const daysFrom = (first: Temporal.PlainDate, last: Temporal.PlainDate): string[] =>
  Array.from({ length: first.until(last).days + 1 }, (_, index) => first.add({ days: index }).toString())

/** A result at noon of each day. */
async function store(first: Temporal.PlainDate, last: Temporal.PlainDate): Promise<void> {
  const result = { agent: 'homes-whitebox', target: 'n1', rtt_avg: 12_000 }
  const rows = daysFrom(first, last).map((day) => ({ ...result, dtime: `${day} 12:00:00.000` }))
  await storeFacts(keeping.world, 'ping', rows)
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

/** Days of an answer, each once: those of points are local, those of records UTC. */
const daysOf = (rows: readonly Record<string, unknown>[]) =>
  [...new Set(rows.map((row) => String(row['dtime']).slice(0, 10)))].toSorted()

async function answers(api: string, path: string, body: object) {
  const answer = await call(`${api}${path}`, {
    method: 'POST',
    token: keeping.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { from: answer.headers.get('x-results-from'), days: daysOf(await rowsOf(answer)) }
}

/** Of records, of the points of a series, or of the file that is made. */
async function rowsOf(answer: Answer): Promise<Record<string, unknown>[]> {
  const { data } = answer.body as { data: Record<string, unknown>[] | Shown }
  if (Array.isArray(data)) return (data[0]?.['metricData'] as Record<string, unknown>[] | undefined) ?? data
  await until(async () => shownOf(await keeping.read(data.id)).status === 'complete', 60_000)
  const { url } = shownOf(await keeping.read(data.id))
  return parseFile('csv', new Uint8Array(await (await fetch(url ?? '')).arrayBuffer()))
}

/** With today's result, and once more if it was midnight meanwhile. */
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
])('a local day past its time is not answered from what is left of it: %s, %s', async (path, _which, body) => {
  const { day, found } = await withinADay(() => answers(keeping.service.addresses.api, path, body))
  const first = day.subtract({ days: keepDays - 2 })
  // Of the first one the result was measured the UTC day before, which is kept too.
  expect(found).toEqual({ days: daysFrom(first, day.add({ days: 1 })), from: first.toString() })
})

it.each(['/test_data', '/test_data.csv'])('nor is a UTC day: %s', async (path) => {
  const { day, found } = await withinADay(() => answers(keeping.service.addresses.api, path, records))
  const first = day.subtract({ days: keepDays - 2 })
  expect(found).toEqual({ days: daysFrom(first, day), from: first.toString() })
})

it('a file that is answered again by its key says it again', async () => {
  const headers = { 'idempotency-key': 'the-same' }
  const { found } = await withinADay(async () => [
    await keeping.ask('/test_data_download', records, headers),
    await keeping.ask('/test_data_download', records, headers),
  ])
  const [first, again] = found.map((one) => [shownOf(one).id, one.headers.get('x-results-from')])
  expect(first?.[1]).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(again).toEqual(first)
})

it('nothing is said of a first day to whoever asks from there on', async () => {
  const { day, found } = await withinADay(() =>
    answers(keeping.service.addresses.api, '/test_data', { ...records, date: { from: '-5 days', to: 'now' } }),
  )
  expect(found).toEqual({ days: daysFrom(day.subtract({ days: 5 }), day), from: null })
})

it.each([
  ['/metric_data', daily, 1],
  ['/test_data', records, 0],
])('where results are kept for ever, all are answered: %s', async (path, body, shift) => {
  const { api } = (await keeping.world.serve({ BROADGAUGE_EXPORTS_MAX: '0' })).addresses
  const { day, found } = await withinADay(() => answers(api, path, body))
  const [first, last] = [firstStored, day].map((one) => one.add({ days: shift }))
  expect(found).toEqual({ days: daysFrom(first ?? day, last ?? day), from: null })
})
