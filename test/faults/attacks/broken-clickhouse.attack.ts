import { afterAll, beforeAll, expect, it } from 'vitest'
import { limits } from '../../../src/base/limits.ts'
import type { BatchTotals } from '../../../src/engine/postgres/ingest/ingest-batches.ts'
import type { Answer } from '../../kit/call.ts'
import { newSeed } from '../dice.ts'
import { facts, openBrokenWorld, type BrokenWorld } from './broken-world.ts'
import { breaks, breakUnderWorks, type Work } from './broken-works.ts'
import { findLingeringQueries } from './lingering-queries.ts'
import { openTally } from './tally.ts'
import { lookForZeros } from './zeros.ts'

const seed = newSeed()
const batchRows = 50
/**
 * The limit of 30 s for a response does not apply to ingest requests. If ClickHouse stalls, the service waits until the
 * timeout of the batch.
 */
const batchPatienceMs = limits.batchTimeoutMs + 10_000
let broken: BrokenWorld

beforeAll(async () => {
  broken = await openBrokenWorld('CLICKHOUSE_URL')
}, 120_000)
afterAll(() => broken.close(), 90_000)

const records = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
const points = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'hourly',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59' },
}
const asks: [name: string, path: string, body: object][] = [
  ['/test_data', '/test_data', records],
  ['/metric_data', '/metric_data', points],
  ['/metric_data raw', '/metric_data', { ...points, chartType: 'raw' }],
]

/** Sorts the rows, because ClickHouse returns them in stored order, which merges may change. */
const sorted = ({ body }: Answer): string =>
  JSON.stringify((body['data'] as unknown[]).map((row) => JSON.stringify(row)).toSorted())

function batchWork(target: string): Work {
  const rows = Array.from({ length: batchRows }, (_, index) =>
    JSON.stringify({
      agent_id: 'acme-1',
      dtime: `2026-02-01 00:00:${String(index).padStart(2, '0')}.000`,
      target,
      successes: 1,
      failures: 0,
    }),
  )
  const headers = { 'content-type': 'application/x-ndjson' }
  return {
    name: '/ingest',
    retryForMs: batchPatienceMs,
    run: () => broken.send('/ingest/ping', { body: rows.join('\n'), headers, retryForMs: batchPatienceMs }),
    verify: ({ body }) => {
      const { accepted, duplicates, rejected } = body['data'] as BatchTotals
      const isWhole = accepted + duplicates === batchRows && rejected === 0
      return isWhole ? null : `reports ${accepted} accepted, ${duplicates} duplicates, ${rejected} rejected`
    },
  }
}

async function storedRows(): Promise<Map<string, number>> {
  const [node] = broken.world.engine('ADMIN').nodes
  const query = `SELECT target, toUInt32(count()) AS rows FROM ${broken.world.name}.ping GROUP BY target`
  const stored = await node?.query({ query, format: 'JSONEachRow' })
  return new Map((await stored?.json<{ target: string; rows: number }>())?.map(({ target, rows }) => [target, rows]))
}

it(
  `${breaks} broken connections to ClickHouse, and no response is incomplete without an error`,
  { timeout: 3_600_000 },
  async () => {
    const tally = openTally('broken connections to ClickHouse', seed)
    const truths: string[] = []
    for (const [, path, body] of asks) truths.push(sorted((await broken.send(path, { body })) as Answer))
    expect(truths[0]?.length).toBeGreaterThan(facts * 100)
    const sent: string[] = []
    const makeWork = (round: number): Work => {
      const asked = asks[round % 4]
      if (asked === undefined) {
        sent.push(`d-${round}`)
        return batchWork(`d-${round}`)
      }
      const [name, path, body] = asked
      const verify = (answer: Answer) =>
        sorted(answer) === truths[round % 4] ? null : 'another answer than the whole one'
      return { streams: name !== '/metric_data', name, run: () => broken.send(path, { body }), verify }
    }
    await breakUnderWorks({ ...broken, seed, tally, makeWork })
    const stored = await storedRows()
    for (const target of sent) {
      const rows = stored.get(target) ?? 0
      if (rows < batchRows) tally.breach('Z1', 'a batch', `${target}: ${rows} rows`)
      if (rows > batchRows) tally.breach('Z2', 'a batch', `${target}: ${rows} rows`)
    }
    for (const query of await findLingeringQueries(broken.world)) tally.breach('Z9', 'a query is alive', query)
    lookForZeros(tally, broken.world, [broken.token])
    tally.report(breaks)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
  },
)
