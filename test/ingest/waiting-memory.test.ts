import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { ingestLimits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { BatchOutcome } from '../../src/ingest/batch/batch.ts'
import { ingestRequestHandler } from '../../src/ingest/ingest-request.ts'
import { pause } from '../faults/attempt.ts'
import { runningMs } from '../kit/running-time.ts'

const noOutcome: BatchOutcome = { accepted: 1, duplicates: 0, rejected: 0, rejections: [] }

/**
 * A text of `times` megabytes, compressed with gzip. The random text keeps the compression ratio below 250. The service
 * would refuse a body with a higher ratio.
 */
const packed = (megabyte: string, times: number) => {
  const salt = `${JSON.stringify({ agent_id: randomBytes(4_000).toString('hex') })}\n`
  return Buffer.concat(Array<Buffer>(times).fill(gzipSync(`${salt}${megabyte}`)))
}

const megabytes = () => process.memoryUsage().arrayBuffers / 1e6

/** Handles an ingest request for the test `ping`. `write` replaces the write to the store. */
function takeOf(body: Buffer, write: () => Promise<BatchOutcome>) {
  const ping = catalog.tests.find(({ key }) => key === 'ping')
  if (ping === undefined) throw new Error('there is no ping')
  const chunks = async function* () {
    yield body
  }
  const request = { test: ping, format: 'ndjson', encoding: 'gzip' } as const
  return ingestRequestHandler(write, 100)({ organisationId: 1 }, request, chunks(), AbortSignal.any([]))
}

it('reads blank lines without blocking other callers', { timeout: 120_000 }, async () => {
  const heapBefore = process.memoryUsage().heapUsed
  const body = packed('\n'.repeat(1_000_000), 200)
  let heapMax = 0
  let longestMs = 0
  let lookedAt = runningMs()
  const look = () => {
    heapMax = Math.max(heapMax, process.memoryUsage().heapUsed)
    longestMs = Math.max(longestMs, runningMs() - lookedAt)
    lookedAt = runningMs()
  }
  const watching = setInterval(look, 20)
  await takeOf(body, () => Promise.resolve(noOutcome))
  clearInterval(watching)
  look()
  // If the service made a list of all lines, each batch would block the event loop for seconds and need ten times its
  // size in memory.
  expect(longestMs).toBeLessThan(1_000)
  expect((heapMax - heapBefore) / 1e6).toBeLessThan(100)
})

// The test needs no store: it passes a function to the handler that simulates a slow store.
it('holds no decompressed part of a body that waits for a slot', async () => {
  const ping = catalog.tests.find(({ key }) => key === 'ping')
  if (ping === undefined) throw new Error('there is no ping')
  const row = `${JSON.stringify({ agent_id: 'a-1', dtime: '2026-01-01 00:00:00.000', target: 'a'.repeat(50) })}\n`
  // The body is as large as two batches.
  const body = packed(row.repeat(1_000_000 / row.length), 40)
  const batches = [0, 1].map(() => ({ writing: 0, ...Promise.withResolvers<BatchOutcome>() }))
  const take = ingestRequestHandler((_scope, { rowsBefore }) => {
    const batch = batches[rowsBefore]
    if (batch === undefined) throw new Error('there are more than two batches')
    batch.writing += 1
    return batch.promise
  }, 100)
  const before = megabytes()
  const bodies = Array.from({ length: 14 }, (_, index) =>
    take(
      // Each request belongs to another organisation. If the organisation were the same, an equal body would wait for
      // the first request, not for a slot.
      { organisationId: index + 1 },
      { test: ping, format: 'ndjson', encoding: 'gzip' },
      (async function* () {
        yield body
      })(),
      AbortSignal.any([]),
    ),
  )
  for (const batch of batches) {
    await expect.poll(() => batch.writing, { timeout: 60_000 }).toBe(ingestLimits.storeSlotsMax)
    // In this time the service could decompress a waiting body, which it must not do.
    await pause(2_000)
    expect(megabytes() - before).toBeLessThan((ingestLimits.storeSlotsMax + 2) * 40)
    batch.resolve(noOutcome)
  }
  await Promise.all(bodies)
}, 120_000)
