import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeTimelines } from '../../src/engine/postgres/operator/change-timelines.ts'
import { openExportWorld, shownOf, type ExportWorld } from '../exports/export-world.ts'
import { parseFile } from '../exports/parse-file.ts'
import { call } from '../kit/call.ts'
import { storeFacts } from '../kit/facts.ts'
import { asLines, panel } from '../kit/panels.ts'
import { settle } from '../kit/settle.ts'

const keepDays = 30
/** What lies there is older: parts go only as a whole, and until then some of a day's results are there and some not. */
const storedDays = 45

let keeping: ExportWorld
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
  const days = Array.from({ length: storedDays }, (_, index) => dayBefore(index))
  await storeFacts(
    world,
    'ping',
    days.map((day) => ({ agent: 'homes-whitebox', dtime: `${day} 12:00:00.000`, target: 'n1', rtt_avg: 12_000 })),
  )
  await settle(world)
}, 60_000)
afterAll(() => keeping.world.close())

const today = () => Temporal.Now.plainDateISO('UTC')
const dayBefore = (days: number): string => today().subtract({ days }).toString()

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

async function answers(api: string) {
  const ask = (path: string, body: object) =>
    call(`${api}${path}`, {
      method: 'POST',
      token: keeping.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const inData = (data: unknown) => daysOf(data as Record<string, unknown>[])
  const inSeries = (data: unknown) => inData((data as { metricData: unknown }[])[0]?.metricData)
  const inFile = async (path: string, body: object) => {
    const { url } = shownOf(await ask(path, body))
    return daysOf(await parseFile('csv', new Uint8Array(await (await fetch(url ?? '')).arrayBuffer())))
  }
  const points = await ask('/metric_data', daily)
  const streamed = await ask('/metric_data', raw)
  const listed = await ask('/test_data', records)
  return {
    local: [
      inSeries(points.body['data']),
      inSeries(streamed.body['data']),
      await inFile('/metric_data.csv', daily),
      await inFile('/metric_data.csv', raw),
    ],
    utc: [inData(listed.body['data']), await inFile('/test_data.csv', records)],
    from: [points, streamed, listed].map(({ headers }) => headers.get('x-results-from')),
  }
}

/** Once more if it was midnight meanwhile. */
async function withinADay<Result>(work: () => Promise<Result>): Promise<{ day: Temporal.PlainDate; found: Result }> {
  const day = today()
  const found = await work()
  return day.equals(today()) ? { day, found } : withinADay(work)
}

const daysTo = (last: Temporal.PlainDate, count: number): string[] =>
  Array.from({ length: count }, (_, index) => last.subtract({ days: index }).toString()).toReversed()

it('a day past its time is not answered from what is left of it', { timeout: 60_000 }, async () => {
  const { day, found } = await withinADay(() => answers(keeping.service.addresses.api))
  const first = day.subtract({ days: keepDays - 2 })
  // Of the first local day the result was measured the UTC day before, which is kept too.
  expect(found.local).toEqual(Array(4).fill(daysTo(day.add({ days: 1 }), keepDays)))
  expect(found.utc).toEqual(Array(2).fill(daysTo(day, keepDays - 1)))
  expect(found.from).toEqual(Array(3).fill(first.toString()))
})

it('where results are kept for ever, all are answered, and nothing is said of a first day', async () => {
  const everything = await keeping.world.serve()
  const { day, found } = await withinADay(() => answers(everything.addresses.api))
  expect(found.local.slice(0, 2)).toEqual(Array(2).fill(daysTo(day.add({ days: 1 }), storedDays)))
  expect(found.utc.slice(0, 1)).toEqual([daysTo(day, storedDays)])
  expect(found.from).toEqual([null, null, null])
})
