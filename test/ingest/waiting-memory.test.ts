import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { ingestLimits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { BatchOutcome } from '../../src/ingest/batch/batch.ts'
import { deliveryTaker } from '../../src/ingest/take-delivery.ts'
import { pause } from '../faults/attempt.ts'
import { runningMs } from '../kit/running-time.ts'

const noOutcome: BatchOutcome = { accepted: 1, duplicates: 0, rejected: 0, rejections: [] }

/** So many megabytes packed to less than a hundredth, which is more than any bomb may. */
const packed = (megabyte: string, times: number) => {
  const salt = `${JSON.stringify({ agent_id: randomBytes(4_000).toString('hex') })}\n`
  return Buffer.concat(Array<Buffer>(times).fill(gzipSync(`${salt}${megabyte}`)))
}

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
  // The list of lines took seconds for each batch, and ten times its bytes.
  expect(longestMs).toBeLessThan(1_000)
  expect((heapMax - heapBefore) / 1e6).toBeLessThan(100)
})

// It decides only when a batch is asked for, so that no store is needed: the engine would be slow here, and that is all.
it('holds no unpacked part of a body that waits for a slot', async () => {
  const ping = catalog.tests.find(({ key }) => key === 'ping')
  if (ping === undefined) throw new Error('there is no ping')
  const row = `${JSON.stringify({ agent_id: 'a-1', dtime: '2026-01-01 00:00:00.000', target: 'a'.repeat(50) })}\n`
  // Two batches.
  const body = packed(row.repeat(1_000_000 / row.length), 40)
  const batches = [0, 1].map(() => ({ writing: 0, ...Promise.withResolvers<BatchOutcome>() }))
  const take = deliveryTaker((_scope, { rowsBefore }) => {
    const batch = batches[rowsBefore]
    if (batch === undefined) throw new Error('there are more than two batches')
    batch.writing += 1
    return batch.promise
  }, 100)
  const before = megabytes()
  const bodies = Array.from({ length: 14 }, (_, index) =>
    take(
      // The same body of one organisation would not wait for a slot, but for itself.
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
    // Long enough for a body that waits to unpack, if that is what it does.
    await pause(2_000)
    expect(megabytes() - before).toBeLessThan((ingestLimits.storeSlotsMax + 2) * 40)
    batch.resolve(noOutcome)
  }
  await Promise.all(bodies)
}, 120_000)
