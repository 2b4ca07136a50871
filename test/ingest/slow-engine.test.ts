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
