import { createHash, webcrypto } from 'node:crypto'
import { afterTheSame, organisationSlots } from '../base/semaphore.ts'
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

export type TakeDelivery = (
  scope: Scope,
  request: IngestRequest,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => Promise<IngestReport>

/**
 * Takes a request's body whole before anything of it is stored: what is too large, cut off or no valid archive is refused
 * without a trace. Then its batches are stored one after the other. Both unpack the body, each in a slot that is held until
 * the unpacker is closed: a request that waits for a slot holds what was sent, not the much larger part that it unpacks to.
 * Work ends when the sender leaves.
 */
export function deliveryTaker(write: WriteBatch, requestsMax: number): TakeDelivery {
  const admission = createAdmission({ requestsMax, bytesMax: ingestLimits.bodiesBytesMax })
  const inCheckSlot = organisationSlots({ max: ingestLimits.checkSlotsMax, ownMax: ingestLimits.checkSlotsOwnMax })
  const inStoreSlot = organisationSlots({ max: ingestLimits.storeSlotsMax, ownMax: ingestLimits.storeSlotsOwnMax })
  const afterItself = afterTheSame()
  return async (scope, request, body, signal) => {
    const place = admission.enter(scope)
    try {
      const packed = await collect(body, request, place)
      const name = await inCheckSlot(scope, signal, () => nameOf(request, packed, signal))
      const store = () => storeBatches(write, scope, request, packed, name, signal)
      // Sent again while it is still being stored, as by senders who lose patience, it does not wait in a slot.
      const delivery = `${scope.organisationId} ${request.test.key} ${name}`
      const outcome = await afterItself(delivery, signal, () => inStoreSlot(scope, signal, store))
      return { ...outcome, batch: name }
    } catch (error) {
      throw error instanceof UnreadableRows ? validationFail({ body: [error.message] }) : error
    } finally {
      place.leave()
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
    // A header that is refused leaves the unpacker open, with its window.
    await bytes.return(undefined)
  }
  return outcome
}

/** In blocks: a sender decides how small the parts are, and each would take a hundred bytes besides its own. */
async function collect(
  body: AsyncIterable<Uint8Array>,
  { encoding }: IngestRequest,
  place: Place,
): Promise<PackedBody> {
  const parts: Uint8Array[] = []
  let bytes = 0
  const admitted = async function* () {
    for await (const part of body) {
      bytes += part.length
      if (bytes > ingestLimits.bodyBytesMax) throw bodyTooLarge(ingestLimits.bodyBytesMax)
      place.takeBytes(part.length)
      yield part
    }
  }
  for await (const block of inBlocks(admitted(), partBytes)) parts.push(block.slice())
  if (bytes === 0) throw new UnreadableRows('This value should not be blank.')
  return { parts, bytes, encoding }
}

const partBytes = 64 * 1024

/**
 * By content, so that the same body has the same name, however it is packed: a hash of the hashes of its blocks, which threads
 * beside the event loop compute. A body of 512 MiB takes seconds.
 */
async function nameOf({ format }: IngestRequest, body: PackedBody, signal: AbortSignal): Promise<string> {
  const name = createHash('sha256').update(`${format}\n`)
  for await (const block of inBlocks(unpackBody(body, signal), ingestLimits.sliceBytes)) {
    name.update(new Uint8Array(await subtle.digest('SHA-256', block)))
  }
  return shortName(name.digest())
}

/**
 * The same bytes in blocks of one size, the last one shorter, wherever they were cut before. Each block is overwritten by the
 * next.
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
