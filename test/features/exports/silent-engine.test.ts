import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
}, 60_000)
afterAll(() => world.close())

/**
 * A proxy to ClickHouse that never answers statements with the given words. A test cannot make a real ClickHouse stall
 * between two statements.
 */
async function silentAbout(url: string, words: string) {
  const { hostname, port } = new URL(url)
  const handOn = async (from: IncomingMessage, to: ServerResponse) => {
    const body = await buffer(from)
    if (`${from.url} ${body}`.includes(words)) return
    request({ hostname, port, path: from.url, method: from.method, headers: from.headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    }).end(body)
  }
  const server = createServer((from, to) => void handOn(from, to))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${own}`, close }
}

it(
  'is 503, not an error of the caller, if ClickHouse does not report what has been stored',
  { timeout: 60_000 },
  async () => {
    const urls = (world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
    const proxies = await Promise.all(urls.map((url) => silentAbout(url, 'max(ingested_at)')))
    const service = await world.serve({ BROADGAUGE_CLICKHOUSE_URL: proxies.map(({ url }) => url).join(',') })
    const answer = await call(`${service.addresses.api}/test_data_download`, {
      method: 'POST',
      token: await token(world, 'acme'),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ test: 'ping', date: { from: '2026-01', to: '2026-01' } }),
    })
    expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
    for (const proxy of proxies) proxy.close()
  },
)
