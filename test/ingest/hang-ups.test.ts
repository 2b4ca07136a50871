import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { ingestLimits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { IngestRequest } from '../../src/check/rows/ingest-request.ts'
import type { BatchOutcome, WriteBatch } from '../../src/ingest/batch/batch.ts'
import { ingestRequestHandler } from '../../src/ingest/ingest-request.ts'
import { pause } from '../faults/attempt.ts'

// The tests need no store, because the service handles these cases before it writes a batch.
const [test] = catalog.tests
if (test === undefined) throw new Error('there is no test')
const request = (encoding: IngestRequest['encoding']): IngestRequest => ({ test, format: 'ndjson', encoding })
const never = AbortSignal.any([])
const stored: BatchOutcome = { accepted: 1, duplicates: 0, rejected: 0, rejections: [] }

const megabyte = `${JSON.stringify({ agent_id: randomBytes(4_000).toString('hex') })}\n${'{"agent_id":"a"}\n'.repeat(60_000)}`
/** A unique body that decompresses to `megabytes` megabytes. */
const bodyOf = (megabytes: number) =>
  Buffer.concat([gzipSync(`${randomBytes(8).toString('hex')}\n`), ...Array<Buffer>(megabytes).fill(gzipSync(megabyte))])

async function* inParts(body: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes)
}

const processorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const left = { detail: 'the caller hung up' }

it('stops decompressing when the senders disconnect, and stores nothing of their bodies', async () => {
  const written: unknown[] = []
  const take = ingestRequestHandler(async (_scope, batch) => {
    written.push(batch)
    return stored
  }, 100)
  const senders = new AbortController()
  const body = bodyOf(400)
  const requests = Array.from({ length: 10 }, (_, organisation) =>
    take({ organisationId: organisation }, request('gzip'), inParts(body, body.length), senders.signal),
  )
  const outcomes = Promise.allSettled(requests)
  await pause(100)
  senders.abort()
  const before = processorMs()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: left })
  await pause(500)
  // If the service decompressed all ten bodies, it would use ten seconds of CPU time.
  expect(processorMs() - before).toBeLessThan(1_000)
  expect(written).toEqual([])
})

it('stores no further batch of a body whose sender has disconnected', async () => {
  const sender = new AbortController()
  let written = 0
  const write: WriteBatch = async (_scope, { signal }) => {
    written += 1
    expect(signal?.aborted).toBe(false)
    sender.abort()
    return stored
  }
  const body = bodyOf(20)
  const taken = ingestRequestHandler(write, 100)(
    { organisationId: 1 },
    request('gzip'),
    inParts(body, 65_536),
    sender.signal,
  )
  await expect(taken).rejects.toMatchObject(left)
  expect(written).toBe(1)
})

it('decompresses and stores the body of another organisation while one has more than its slots', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<BatchOutcome>()
  const writing: number[] = []
  const take = ingestRequestHandler(({ organisationId }) => {
    writing.push(organisationId)
    return organisationId === 1 ? held : Promise.resolve(stored)
  }, 100)
  const send = (organisationId: number) => take({ organisationId }, request('gzip'), inParts(bodyOf(1), 65_536), never)
  const crowd = Array.from({ length: 10 }, () => send(1))
  await expect.poll(() => writing).toEqual([1, 1])
  expect(await send(2)).toMatchObject({ accepted: 1 })
  expect(writing).toEqual([1, 1, 2])
  expect(ingestLimits.storeSlotsOwnMax).toBe(2)
  letGo(stored)
  await Promise.all(crowd)
})

it('uses only the memory of its bytes for a body that arrives byte by byte', async () => {
  const bytes = 500_000
  const heap = () => process.memoryUsage().heapUsed / 1e6
  const before = heap()
  let after = 0
  const take = ingestRequestHandler(async () => {
    after = heap()
    return stored
  }, 100)
  await take({ organisationId: 1 }, request('identity'), inParts(Buffer.alloc(bytes, '{"agent_id":"a"}\n'), 1), never)
  // If the service kept one buffer per byte, the heap would grow by 50 MB.
  expect(after - before).toBeLessThan(25)
}, 60_000)
