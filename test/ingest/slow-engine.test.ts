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

/** The URL of ClickHouse with a setting. The ClickHouse client reads settings from the URL. */
const addressWith = (setting: string) =>
  (ingest.world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '')
    .split(',')
    .map((url) => `${url}?ch_${setting}`)
    .join(',')

it('answers 503 to an ingest request for which ClickHouse has no memory, and stores it on a retry when it has', async () => {
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
  /** Delays statements that match the pattern. */
  readonly slow?: { readonly statements: RegExp; readonly milliseconds: number }
  /** The name of a response header that the proxy removes. */
  readonly lost?: string
}

/**
 * Starts a proxy for each ClickHouse node. The proxies change only what the arguments say. Returns the URLs of the
 * proxies.
 */
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
      // ClickHouse closes the connection if the proxy delays a statement for too long.
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

it("answers 503 if ClickHouse's response does not show whether the batch was stored", async () => {
  const unsure = await ingest.world.serve({
    BROADGAUGE_CLICKHOUSE_URL: await changed({ lost: 'x-clickhouse-summary' }),
  })
  const body = ndjson([ping({ agent_id: 'wb-2' }), ping({ agent_id: 'nobody' })])
  expect((await ingest.post('ping', body, { address: unsure.addresses.ingest })).status).toBe(503)
  await unsure.stop('the test')
  // The service has neither lost the batch nor recorded it as stored, so a retry stores it.
  expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 1, rejected: 1 })
  expect(await ingest.stored('ping')).toHaveLength(2)
})

it('answers 200 to all retries of a batch that takes longer than a sender waits, and does not delay others', async () => {
  const slow = { statements: /^INSERT INTO \S*ping/, milliseconds: limits.batchWaitMs + 2_000 }
  const service = await ingest.world.serve({ BROADGAUGE_CLICKHOUSE_URL: await changed({ slow }) })
  const address = service.addresses.ingest
  // Because of the rejected row, each retry checks the whole batch again.
  const body = ndjson([ping({ agent_id: 'wb-3', target: 'again' }), ping({ agent_id: 'nobody' })])
  const taken = stopwatch()
  const same = Array.from({ length: ingestLimits.storeSlotsMax + 1 }, () => ingest.post('ping', body, { address }))
  // After a second the first request is storing its batch, and the other requests have arrived.
  await setTimeout(1_000)
  const other = await ingest.post('dns', ndjson([ping()]), { address, token: ingest.otherToken })
  expect(other.status).toBe(200)
  expect(taken().ranMs).toBeLessThan(limits.batchWaitMs / 2)
  const totals = (await Promise.all(same)).map((answer) => reportOf(answer)).map((one) => [one.accepted, one.rejected])
  expect(totals).toEqual(same.map(() => [1, 1]))
  expect(taken().passedMs).toBeGreaterThan(slow.milliseconds)
  expect((await ingest.stored('ping')).filter((row) => row['target'] === 'again')).toHaveLength(1)
}, 60_000)

it('counts and stores every row once if a sender disconnects while its body is stored and another sends the same', async () => {
  const slow = { statements: /^INSERT INTO \S*ping/, milliseconds: 1_500 }
  const service = await ingest.world.serve({ BROADGAUGE_CLICKHOUSE_URL: await changed({ slow }) })
  const kept = ingestLimits.rejectedRowsKeptMax
  const rejected = kept + 50
  const unknown = Array.from({ length: rejected }, () => ping({ agent_id: 'nobody', target: 'left' }))
  const body = ndjson([ping({ agent_id: 'wb-1', target: 'left' }), ...unknown])
  const leaving = sendAndHangUp({ service, token: ingest.token }, body, { retryForMs: 700 })
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
