import { createHash } from 'node:crypto'
import { afterTheSame } from '../base/after-the-same.ts'
import type { Scope } from '../base/caller.ts'
import { Fault, validationFail } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { IngestRequest } from '../check/ingest-request.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'
import type { IngestReport } from '../envelope/ingest-report.ts'
import { createAdmission, type Place } from './admission.ts'
import type { WriteBatch } from './batch.ts'
import { expand } from './expand.ts'
import { readBatches } from './read-batches.ts'
import { takeTurns } from '../base/take-turns.ts'
import { addOutcome, noOutcome } from './totals.ts'
import { shortName } from './write-batch.ts'

export type TakeDelivery = (
  scope: Scope,
  request: IngestRequest,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => Promise<IngestReport>

/**
 * Takes a request's body whole before anything of it is stored: what is too large, cut off or no valid archive is refused
 * without a trace. Then its batches are stored one after the other.
 */
export function deliveryTaker(write: WriteBatch, requestsMax: number): TakeDelivery {
  const admission = createAdmission({ requestsMax, bytesMax: limits.deliveriesBytesMax })
  const inTurn = takeTurns(limits.batchesAtOnceMax)
  const afterItself = afterTheSame()
  const storeParts = async (
    scope: Scope,
    { test, format, encoding }: IngestRequest,
    packed: Uint8Array[],
    name: string,
  ) => {
    await using parts = readBatches(expand(packed, encoding), format, test)
    let outcome = noOutcome
    const storeNext = async () => {
      const { value: part, done = false } = await parts.next()
      if (done) return false
      const { format: rowFormat, data } = part
      const rowsBefore = outcome.accepted + outcome.duplicates + outcome.rejected
      outcome = addOutcome(outcome, await write(scope, { test, format: rowFormat, data, name, rowsBefore, source: '' }))
      return true
    }
    // Cut in its turn as well: whoever waits holds what was sent, not the much larger part that it unpacks to.
    while (await inTurn(storeNext));
    return outcome
  }
  return async (scope, request, body, signal) => {
    const place = admission.enter(scope)
    try {
      const packed = await collect(body, place)
      const batch = await nameOf(request, packed)
      // Sent again while it is still being stored, as by senders who lose patience, it does not wait in a turn of others.
      const delivery = `${scope.organisationId} ${request.test.key} ${batch}`
      return { ...(await afterItself(delivery, signal, () => storeParts(scope, request, packed, batch))), batch }
    } catch (error) {
      throw error instanceof UnreadableRows ? validationFail({ body: [error.message] }) : error
    } finally {
      place.leave()
    }
  }
}

async function collect(body: AsyncIterable<Uint8Array>, place: Place): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > limits.deliveryBytesMax) throw new Fault('PAYLOAD_TOO_LARGE')
    place.takeBytes(part.length)
    parts.push(part)
  }
  if (bytes === 0) throw new UnreadableRows('This value should not be blank.')
  return parts
}

/** By content, so that the same body has the same name; counts on the way, because a small archive can hold anything. */
async function nameOf({ format, encoding }: IngestRequest, packed: readonly Uint8Array[]): Promise<string> {
  const hash = createHash('sha256').update(`${format}\n`)
  let bytes = 0
  for await (const piece of expand(packed, encoding)) {
    bytes += piece.length
    if (bytes > limits.deliveryExpandedBytesMax) {
      throw new Fault('PAYLOAD_TOO_LARGE', { message: 'The request body is too large when it is unpacked.' })
    }
    hash.update(piece)
  }
  return shortName(hash.digest())
}
