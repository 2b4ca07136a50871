import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { ingestLimits, limits } from '../../src/base/limits.ts'
import { stopwatch } from '../kit/running-time.ts'
import { ndjson, openIngestWorld, ping, reportOf, type IngestWorld } from './ingest-world.ts'
import { sendAndHangUp } from './send-and-hang-up.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld()
})
afterAll(() => ingest.world.close())

/** The client takes settings of the engine from its address. */
const addressWith = (setting: string) =>
  (ingest.world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '')
    .split(',')
    .map((url) => `${url}?ch_${setting}`)
    .join(',')

it('answers 503 to a delivery the engine has no memory for, and stores it when it has', async () => {
  const short = await ingest.world.serve({ BROADGAUGE_CLICKHOUSE_URL: addressWith('max_memory_usage=1000') })
  const body = ndjson([ping()])
  const refused = await ingest.post('ping', body, { address: short.addresses.ingest })
  expect([refused.status, refused.body['code'], refused.headers.get('retry-after')]).toEqual([
    503,
    'SERVICE_UNAVAILABLE',
    '5',
  ])
  expect(await ingest.stored('ping')).toEqual([])
  expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 1 })
})

type Changed = {
  /** Statements that are held up. */
  readonly slow?: { readonly statements: RegExp; readonly milliseconds: number }
  /** A header of its answers. */
  readonly lost?: string
}

/** The engines, reached by proxies that hand everything on but for what is said. */
async function changed({ slow, lost }: Changed): Promise<string> {
  const urls = (ingest.world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
  const proxies = urls.map(async (url) => {
    const { hostname, port } = new URL(url)
    const server = createServer((from, to) => {
      const asked = request(
        { hostname, port, path: from.url, method: from.method, headers: from.headers },
        (answer) => {
          const headers = Object.entries(answer.headers).filter(([name]) => name !== lost)
          to.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers))
          answer.pipe(to)
        },
      )
      // The engine gives up on a statement that is held for long.
      asked.on('error', () => to.destroy())
      const statement = new URL(from.url ?? '', url).searchParams.get('query') ?? ''
      const heldMs = slow?.statements.test(statement) === true ? slow.milliseconds : 0
      void setTimeout(heldMs).then(() => from.pipe(asked))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  return (await Promise.all(proxies)).join(',')
}

it('answers 503 to a delivery of which the reply of the engine does not tell what became of it', async () => {
  const away = await ingest.world.serve({ BROADGAUGE_CLICKHOUSE_URL: await changed({ lost: 'x-clickhouse-summary' }) })
  const body = ndjson([ping({ agent_id: 'wb-2' }), ping({ agent_id: 'nobody' })])
  expect((await ingest.post('ping', body, { address: away.addresses.ingest })).status).toBe(503)
  await away.stop('the test')
  // Neither lost nor taken for done.
  expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 1, rejected: 1 })
  expect(await ingest.stored('ping')).toHaveLength(2)
})

it('answers 200 to all who send a delivery again while it takes longer than a sender waits, and lets others pass', async () => {
  const slow = { statements: /^INSERT INTO \S*ping/, milliseconds: limits.batchWaitMs + 2_000 }
  const service = await ingest.world.serve({ BROADGAUGE_CLICKHOUSE_URL: await changed({ slow }) })
  const address = service.addresses.ingest
  // Where a row was rejected, all of it is looked at again.
  const body = ndjson([ping({ agent_id: 'wb-3', target: 'again' }), ping({ agent_id: 'nobody' })])
  const taken = stopwatch()
  const same = Array.from({ length: ingestLimits.storeSlotsMax + 1 }, () => ingest.post('ping', body, { address }))
  // The first has begun, and the others are there.
  await setTimeout(1_000)
  const other = await ingest.post('dns', ndjson([ping()]), { address, token: ingest.otherToken })
  expect(other.status).toBe(200)
  expect(taken().ranMs).toBeLessThan(limits.batchWaitMs / 2)
  const totals = (await Promise.all(same)).map((answer) => reportOf(answer)).map((one) => [one.accepted, one.rejected])
  expect(totals).toEqual(same.map(() => [1, 1]))
  expect(taken().passedMs).toBeGreaterThan(slow.milliseconds)
  expect((await ingest.stored('ping')).filter((row) => row['target'] === 'again')).toHaveLength(1)
}, 60_000)

it('counts and stores every row once when a sender leaves while its body is stored and another sends the same', async () => {
  const slow = { statements: /^INSERT INTO \S*ping/, milliseconds: 1_500 }
  const service = await ingest.world.serve({ BROADGAUGE_CLICKHOUSE_URL: await changed({ slow }) })
  const kept = ingestLimits.rejectedRowsKeptMax
  const rejected = kept + 50
  const unknown = Array.from({ length: rejected }, () => ping({ agent_id: 'nobody', target: 'left' }))
  const body = ndjson([ping({ agent_id: 'wb-1', target: 'left' }), ...unknown])
  const leaving = sendAndHangUp({ service, token: ingest.token }, body, { patienceMs: 700 })
  await setTimeout(200)
  const answer = await ingest.post('ping', body, { address: service.addresses.ingest })
  await leaving
  const report = reportOf(answer)
  expect(report).toMatchObject({
    accepted: 1,
    duplicates: 0,
    rejected,
    rejections: [{ rows: rejected, kept_rows: kept }],
  })
  expect((await ingest.post('ping', body)).text).toBe(answer.text)
  expect((await ingest.stored('ping')).filter((row) => row['target'] === 'left')).toHaveLength(1)
  const rows = (await ingest.rejected()).filter(({ batch }) => batch === report.batch).map((row) => Number(row['rows']))
  expect(rows).toHaveLength(kept)
  expect(rows.reduce((sum, one) => sum + one, 0)).toBe(rejected)
}, 30_000)
