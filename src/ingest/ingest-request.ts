import { createHash, webcrypto } from 'node:crypto'
import { keyedMutex, organisationSlots } from '../base/semaphore.ts'
import type { Scope } from '../base/caller.ts'
import { bodyTooLarge, validationFail } from '../base/fault.ts'
import { ingestLimits } from '../base/limits.ts'
import type { IngestRequest } from '../check/rows/ingest-request.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'
import type { IngestReport } from '../envelope/ingest-report.ts'
import { createAdmission, type Place } from './admission.ts'
import { addOutcome, type BatchOutcome, noOutcome, type WriteBatch } from './batch/batch.ts'
import { readBatches } from './batch/read-batches.ts'
import { type PackedBody, unpackBody } from './expand.ts'
import { shortName } from './batch/write-batch.ts'

const { subtle } = webcrypto

export type TakeIngestRequest = (
  scope: Scope,
  request: IngestRequest,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => Promise<IngestReport>

/**
 * Receives and checks the whole body before it stores anything. So if a body is too large, truncated or invalid, no row of it
 * is stored. Then the function stores the batches one after the other, and stops if the sender disconnects. The body is
 * unpacked twice: to check it and to store it. Each time, the request holds one of the slots for unpacking until the unpacker
 * is closed. A request that waits for such a slot keeps only the compressed body in memory.
 */
export function ingestRequestHandler(write: WriteBatch, requestsMax: number): TakeIngestRequest {
  const admission = createAdmission({ requestsMax, bytesMax: ingestLimits.bodiesBytesMax })
  const inCheckSlot = organisationSlots({ max: ingestLimits.checkSlotsMax, ownMax: ingestLimits.checkSlotsOwnMax })
  const inStoreSlot = organisationSlots({ max: ingestLimits.storeSlotsMax, ownMax: ingestLimits.storeSlotsOwnMax })
  const inBodyMutex = keyedMutex()
  return async (scope, request, body, signal) => {
    const slot = admission.enter(scope)
    try {
      const packed = await collect(body, request, slot)
      const name = await inCheckSlot(scope, signal, () => nameOf(request, packed, signal))
      const store = () => storeBatches(write, scope, request, packed, name, signal)
      // A sender may repeat a body while it is still being stored. The repeated request waits without a slot for unpacking.
      const bodyKey = `${scope.organisationId} ${request.test.key} ${name}`
      const outcome = await inBodyMutex(bodyKey, signal, () => inStoreSlot(scope, signal, store))
      return { ...outcome, batch: name }
    } catch (error) {
      throw error instanceof UnreadableRows ? validationFail({ body: [error.message] }) : error
    } finally {
      slot.leave()
    }
  }
}

async function storeBatches(
  write: WriteBatch,
  scope: Scope,
  { test, format: kind }: IngestRequest,
  body: PackedBody,
  name: string,
  signal: AbortSignal,
): Promise<BatchOutcome> {
  const bytes = unpackBody(body, signal)
  let outcome = noOutcome
  try {
    for await (const { format, data } of readBatches(bytes, kind, test)) {
      const rowsBefore = outcome.accepted + outcome.duplicates + outcome.rejected
      outcome = addOutcome(outcome, await write(scope, { test, format, data, name, rowsBefore, source: '', signal }))
    }
  } finally {
    // Close the unpacker. Otherwise a refused header would leave it open, with its window in memory.
    await bytes.return(undefined)
  }
  return outcome
}

/** Joins chunks into blocks. A sender may send tiny chunks, and each chunk has a hundred bytes of overhead. */
async function collect(body: AsyncIterable<Uint8Array>, { encoding }: IngestRequest, slot: Place): Promise<PackedBody> {
  const parts: Uint8Array[] = []
  let bytes = 0
  const admitted = async function* () {
    for await (const part of body) {
      bytes += part.length
      if (bytes > ingestLimits.bodyBytesMax) throw bodyTooLarge(ingestLimits.bodyBytesMax)
      slot.takeBytes(part.length)
      yield part
    }
  }
  for await (const block of inBlocks(admitted(), partBytes)) parts.push(block.slice())
  if (bytes === 0) throw new UnreadableRows('This value should not be blank.')
  return { parts, bytes, encoding }
}

const partBytes = 64 * 1024

/**
 * Hash of the unpacked content, so that a body has the same name with any compression. It is a hash of block hashes, which
 * Node's thread pool computes: hashing a body of 512 MiB takes seconds.
 */
async function nameOf({ format }: IngestRequest, body: PackedBody, signal: AbortSignal): Promise<string> {
  const name = createHash('sha256').update(`${format}\n`)
  for await (const block of inBlocks(unpackBody(body, signal), ingestLimits.sliceBytes)) {
    name.update(new Uint8Array(await subtle.digest('SHA-256', block)))
  }
  return shortName(name.digest())
}

/**
 * Yields the same bytes in blocks of one size; only the last may be shorter. Each block overwrites the memory of the previous
 * one.
 */
async function* inBlocks(
  parts: AsyncIterable<Uint8Array>,
  blockBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const block = new Uint8Array(blockBytes)
  let length = 0
  for await (const part of parts) {
    for (let at = 0; at < part.length;) {
      const copied = part.subarray(at, at + blockBytes - length)
      block.set(copied, length)
      at += copied.length
      length += copied.length
      if (length < blockBytes) continue
      yield block
      length = 0
    }
  }
  if (length > 0) yield block.subarray(0, length)
}
