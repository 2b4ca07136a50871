import { afterAll, beforeAll, expect, it } from 'vitest'
import { shardTable } from '../../src/compile/schema/fact-table.ts'
import { createProgram } from '../../src/serve/program.ts'
import { ndjson, openIngestWorld, ping, reportOf, type IngestWorld, type Row } from './ingest-world.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld()
})
afterAll(() => ingest.world.close())

async function run(...words: string[]): Promise<string> {
  let said = ''
  const context = { environment: ingest.world.environment, write: (text: string) => (said += text) }
  await createProgram(context)
    .exitOverride()
    .parseAsync(['results', 'duplicates', ...words], { from: 'user' })
  return said
}

const duplicates = async (...words: string[]): Promise<unknown> => JSON.parse(await run('--json', ...words))

const results = (from: number, to: number, more: Row = {}): Row[] =>
  Array.from({ length: to - from }, (_, index) =>
    ping({
      agent_id: `wb-${1 + ((from + index) % 3)}`,
      dtime: new Date(Date.UTC(2026, 0, 31, 23, 0) + (from + index) * 60_000).toISOString(),
      ...more,
    }),
  )

const send = async (rows: readonly Row[]) => reportOf(await ingest.post('ping', ndjson(rows)))
const countStored = async () => (await ingest.stored('ping')).length

it('finds nothing without duplicates', async () => {
  await send(results(0, 100))
  expect(await duplicates()).toEqual([])
  expect(await run()).toBe('No result is stored more than once.\n')
})

it('counts results of a stream and a file that overlap, by month, and those with different values', async () => {
  // Results 0 to 59 are in January, the others are in February. The test sends results 90 to 99 again with other
  // values.
  await send(results(40, 90))
  await send(results(90, 100, { rtt_avg: 1 }))
  await send(results(40, 45, { packets: undefined, rtt_avg: null }))
  expect(await duplicates('--tests', 'ping,dns')).toEqual([
    { test: 'ping', month: 202601, results: 20, surplus: 25, differing: 5 },
    { test: 'ping', month: 202602, results: 40, surplus: 40, differing: 10 },
  ])
  expect(await countStored()).toBe(165)
})

it('removes all but the first stored one, and nothing else', async () => {
  const said = await run('--fix')
  expect(said).toContain('65 rows were removed.')
  expect(await duplicates()).toEqual([])
  const stored = await ingest.stored('ping')
  expect(stored).toHaveLength(100)
  expect(stored.every((row) => row['rtt_avg'] === 12_000)).toBe(true)
})

it('does not restore them when their batch is sent again', async () => {
  expect(await send(results(40, 90))).toMatchObject({ accepted: 50 })
  expect(await countStored()).toBe(100)
})

it('removes those stored in the same millisecond, also if their values are equal', async () => {
  const [node] = ingest.world.engine('ADMIN').nodes
  const table = `${ingest.world.name}.ping`
  await node?.command({
    query: `INSERT INTO ${table} SELECT * FROM ${table} WHERE agent = 1 AND toYYYYMM(dtime) = 202601
            SETTINGS distributed_foreground_insert = 1, insert_deduplicate = 0`,
  })
  const before = await countStored()
  expect(before).toBeGreaterThan(100)
  await run('--fix')
  expect(await countStored()).toBe(100)
})

it('loses nothing while results arrive and parts are merged', async () => {
  const rows = results(1_000, 1_400)
  const halves = [rows.slice(0, 250), rows.slice(150)]
  for (const half of halves) await send(half)
  let done = false
  const arriving = async () => {
    for (let batch = 0; !done; batch += 1) await send(results(2_000 + batch * 20, 2_030 + batch * 20))
  }
  const merging = async () => {
    const name = ingest.world.environment['BROADGAUGE_CLICKHOUSE_CLUSTER'] === undefined ? 'ping' : shardTable('ping')
    while (!done) {
      for (const node of ingest.world.engine('ADMIN').nodes) {
        await node.command({ query: `OPTIMIZE TABLE ${ingest.world.name}.${name}` })
      }
    }
  }
  const fixing = async () => {
    const untidy = (error: Error) => expect(error.message).toContain('keeps moving rows of')
    for (let turn = 0; turn < 5; turn += 1) await run('--tests', 'ping', '--fix').catch(untidy)
    done = true
  }
  await Promise.all([arriving(), merging(), fixing()])
  await run('--tests', 'ping', '--fix')
  const stored = await ingest.stored('ping')
  const minutes = stored.map((row) => (Date.parse(`${String(row['dtime'])}Z`) - Date.UTC(2026, 0, 31, 23, 0)) / 60_000)
  expect(new Set(minutes).size).toBe(minutes.length)
  const arrived = minutes.filter((minute) => minute >= 2_000).toSorted((one, other) => one - other)
  expect(minutes.filter((minute) => minute >= 1_000 && minute < 2_000)).toHaveLength(400)
  expect(arrived).toEqual(Array.from({ length: arrived.length }, (_, index) => 2_000 + index))
  expect(arrived.length).toBeGreaterThan(0)
}, 240_000)

it('refuses an unknown test', async () => {
  await expect(run('--tests', 'pong')).rejects.toThrow('no such test: pong')
})
