import { afterAll, beforeAll, expect, it } from 'vitest'
import { callStream } from '../../kit/stream-call.ts'
import { openBrokenWorld, type BrokenWorld } from './broken-world.ts'

let broken: BrokenWorld

beforeAll(async () => {
  broken = await openBrokenWorld('CLICKHOUSE_URL')
}, 120_000)
afterAll(() => broken.close(), 90_000)

it(
  'cuts the response after a minute if ClickHouse stops responding during the rows',
  { timeout: 120_000 },
  async () => {
    const { proxy, service, token } = broken
    const body = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
    proxy.arm({ direction: 'from the store', after: 500_000, how: 'stall' })
    const startedAt = performance.now()
    const outcome = await callStream(`${service.addresses.api}/test_data`, { token, body })
    const seconds = (performance.now() - startedAt) / 1000
    proxy.disarm()
    expect(outcome).toMatchObject({ status: 200, complete: false })
    expect(seconds).toBeGreaterThanOrEqual(60)
    expect(seconds).toBeLessThan(63)
  },
)
