import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ndjson, openIngestWorld, ping, reportOf, type IngestWorld } from './ingest-world.ts'

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

/** Hands everything on but what the engine says it has done. */
async function withoutSummary(url: string) {
  const { hostname, port } = new URL(url)
  const server = createServer((from, to) => {
    const asked = request({ hostname, port, path: from.url, method: from.method, headers: from.headers }, (answer) => {
      const { 'x-clickhouse-summary': _left, ...headers } = answer.headers
      to.writeHead(answer.statusCode ?? 502, headers)
      answer.pipe(to)
    })
    from.pipe(asked)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${own}`, close: () => server.close() }
}

it('answers 503 to a delivery of which the reply of the engine does not tell what became of it', async () => {
  const urls = (ingest.world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
  const proxies = await Promise.all(urls.map(withoutSummary))
  const away = await ingest.world.serve({ BROADGAUGE_CLICKHOUSE_URL: proxies.map(({ url }) => url).join(',') })
  const body = ndjson([ping({ agent_id: 'wb-2' }), ping({ agent_id: 'nobody' })])
  expect((await ingest.post('ping', body, { address: away.addresses.ingest })).status).toBe(503)
  await away.stop('the test')
  for (const proxy of proxies) proxy.close()
  // Neither lost nor taken for done.
  expect(reportOf(await ingest.post('ping', body))).toMatchObject({ accepted: 1, rejected: 1 })
  expect(await ingest.stored('ping')).toHaveLength(2)
})
