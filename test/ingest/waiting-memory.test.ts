import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { limits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { BatchOutcome } from '../../src/ingest/batch.ts'
import { deliveryTaker } from '../../src/ingest/take-delivery.ts'
import { pause } from '../faults/attempt.ts'
import { runningMs } from '../kit/running-time.ts'

const megabytes = () => process.memoryUsage().arrayBuffers / 1e6

/** A delivery of `ping`, of which nothing is stored. */
function takeOf(body: Buffer, write: () => Promise<BatchOutcome>) {
  const ping = catalog.tests.find(({ key }) => key === 'ping')
  if (ping === undefined) throw new Error('there is no ping')
  const chunks = async function* () {
    yield body
  }
  const request = { test: ping, format: 'ndjson', encoding: 'gzip' } as const
  return deliveryTaker(write, 100)({ organisationId: 1 }, request, chunks(), AbortSignal.any([]))
}

it('goes through blank lines without holding up everybody else', { timeout: 120_000 }, async () => {
  const heapBefore = process.memoryUsage().heapUsed
  const body = gzipSync(Buffer.alloc(200_000_000, '\n'))
  let heapMax = 0
  let longestMs = 0
  let lookedAt = runningMs()
  const look = () => {
    heapMax = Math.max(heapMax, process.memoryUsage().heapUsed)
    longestMs = Math.max(longestMs, runningMs() - lookedAt)
    lookedAt = runningMs()
  }
  const watching = setInterval(look, 20)
  await takeOf(body, () => Promise.reject(new Error('there is nothing to store'))).catch(() => {})
  clearInterval(watching)
  look()
  // The list of lines took seconds for each batch, and ten times its bytes.
  expect(longestMs).toBeLessThan(1_000)
  expect((heapMax - heapBefore) / 1e6).toBeLessThan(100)
})

// It decides only when a batch is asked for, so that no store is needed: the engine would be slow here, and that is all.
it('holds no unpacked part of a delivery that waits for its turn', async () => {
  const ping = catalog.tests.find(({ key }) => key === 'ping')
  if (ping === undefined) throw new Error('there is no ping')
  const body = gzipSync(
    Buffer.alloc(60_000_000, `${JSON.stringify({ agent_id: 'a-1', dtime: '2026-01-01 00:00:00.000' })}\n`),
  )
  const { promise: held, resolve: letGo } = Promise.withResolvers<BatchOutcome>()
  let writing = 0
  const take = deliveryTaker(() => {
    writing += 1
    return held
  }, 100)
  const before = megabytes()
  const deliveries = Array.from({ length: 14 }, (_, index) =>
    take(
      // The same delivery of one organisation would not wait for a turn, but for itself.
      { organisationId: index + 1 },
      { test: ping, format: 'ndjson', encoding: 'gzip' },
      (async function* () {
        yield body
      })(),
      AbortSignal.any([]),
    ),
  )
  await expect.poll(() => writing, { timeout: 60_000 }).toBe(limits.batchesAtOnceMax)
  // Whoever waits has had time to unpack, if that is what it does.
  await pause(2_000)
  expect(megabytes() - before).toBeLessThan((limits.batchesAtOnceMax + 2) * 40)
  letGo({ accepted: 1, duplicates: 0, rejected: 0, rejections: [] })
  await Promise.all(deliveries)
}, 120_000)
