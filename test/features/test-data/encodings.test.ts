import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { callStream, openStream } from '../../kit/stream-call.ts'
import { asIngestUser, openStreamWorld, streaming, type StreamWorld } from './stream-world.ts'

/**
 * Three rows, more than half a second apart. Each row is so large that ClickHouse sends it at once, and each row is
 * easy to compress.
 */
const trickling = streaming(
  '/trickling',
  () => sql`SELECT sleepEachRow(0.7) AS slept, repeat('xxxx', 500000) AS filler FROM numbers(3)
    SETTINGS max_block_size = 1, output_format_json_array_of_rows = 1`,
)

let stage: StreamWorld
let service: Service
let unlimited: Service

beforeAll(async () => {
  stage = await openStreamWorld(20_000)
  service = await stage.world.serve({ BROADGAUGE_CORS_ORIGINS: 'https://app.example.org' })
  unlimited = await stage.world.serve(asIngestUser(stage.world), [trickling])
}, 120_000)
afterAll(() => stage.world.close())

const ask = (encoding: string, extra: Record<string, string> = {}) =>
  callStream(`${service.addresses.api}/test_data`, {
    token: stage.token,
    body: stage.body,
    headers: { 'accept-encoding': encoding, ...extra },
  })

it.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
] as const)('sends by %s the same content as plain, at a fifth of the size or less', async (encoding, decompress) => {
  const [plain, packed] = [await ask('identity'), await ask(encoding)]
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding, Origin' })
  expect([plain.complete, packed.complete]).toEqual([true, true])
  expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true)
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
  const body = JSON.parse(plain.bytes.toString('utf8'))
  expect(body.data).toHaveLength(20_000)
})

it('has the headers of every other response', async () => {
  const { headers } = await ask('gzip', { origin: 'https://app.example.org' })
  expect(headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example.org',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
  })
})

it('keeps a connection open for the next request after a streamed response', async () => {
  const { Agent, request } = await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = new Set<number | undefined>()
  for (let time = 0; time < 3; time += 1) {
    await new Promise<void>((resolve, reject) => {
      const asked = request(`${service.addresses.api}/test_data`, {
        method: 'POST',
        agent,
        headers: { authorization: stage.token, 'content-type': 'application/json' },
      })
      asked.once('error', reject)
      asked.once('response', (response) => {
        ports.add(response.socket.localPort)
        response.resume().once('end', resolve)
      })
      asked.end(JSON.stringify(stage.body))
    })
  }
  agent.destroy()
  expect(ports.size).toBe(1)
})

it.each(['identity', 'gzip', 'br', 'zstd'])('flushes by %s the available rows before more arrive', async (encoding) => {
  const headers = { 'accept-encoding': encoding }
  const url = `${unlimited.addresses.api}/trickling`
  const pauses = async () => {
    const response = await openStream(url, { token: stage.token, body: {}, headers })
    const times: number[] = []
    response.on('data', () => times.push(performance.now()))
    await new Promise((resolve) => response.once('end', resolve))
    return times.map((time, index) => time - (times[index - 1] ?? time)).filter((pause) => pause > 300).length
  }
  // After a freeze of the machine several rows arrive at once, so the test tries up to three times. If the service held
  // rows back, the test would fail each time.
  let most = 0
  for (let time = 0; time < 3 && most < 2; time += 1) most = Math.max(most, await pauses())
  expect(most).toBeGreaterThanOrEqual(2)
})
