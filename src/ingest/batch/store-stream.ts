import type { Scope } from '../../base/caller.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { addOutcome, type BatchOutcome, type BatchTerms, noOutcome, type RowFormat, type WriteBatch } from './batch.ts'
import { batchBuffers } from './cut-batches.ts'
import { readBatches } from './read-batches.ts'

export type RowStream = {
  readonly test: TestDefinition
  readonly kind: RowFormat['kind']
  readonly bytes: AsyncIterable<Uint8Array>
  /** Name of the imported file. It is recorded with rejected rows. */
  readonly source: string
  /** Position in the stream. An earlier run has stored everything before it. */
  readonly bytesDone: number
  readonly terms: BatchTerms
}

/** Called after each batch, in the order of the stream. Everything before `bytesDone` is stored. */
export type OnStored = (outcome: BatchOutcome, bytesDone: number) => Promise<void>

/**
 * Number of batches that are inserted concurrently. While ClickHouse sorts and writes one batch, it reads the next, and this
 * process prepares a third.
 */
const batchesAtOnce = 2

/** Stores a stream of rows of any length. If a run is interrupted, the next run continues from `bytesDone`. */
export async function storeStream(
  scope: Scope,
  write: WriteBatch,
  stream: RowStream,
  onStored: OnStored,
): Promise<BatchOutcome> {
  const underWay: { data: Uint8Array; bytesAfter: number; outcome: Promise<BatchOutcome> }[] = []
  const buffers = batchBuffers()
  // A batch that is compared with the table must see the rows of the previous batch, so only one batch is stored at a time.
  const atOnce = stream.terms.anew === true ? 1 : batchesAtOnce
  let total = noOutcome
  const finishOne = async () => {
    const first = underWay.shift()
    if (first === undefined) return
    const outcome = await first.outcome
    total = addOutcome(total, outcome)
    buffers.giveBack(first.data)
    await onStored(outcome, first.bytesAfter)
  }
  for await (const batch of readBatches(stream.bytes, stream.kind, stream.test, buffers)) {
    const { format, data, bytesBefore } = batch
    if (batch.bytesAfter <= stream.bytesDone) {
      buffers.giveBack(data)
      continue
    }
    const outcome = write(scope, {
      test: stream.test,
      format,
      data,
      name: null,
      rowsBefore: 0,
      source: `${stream.source}@${bytesBefore}`,
      ...stream.terms,
    })
    outcome.catch(() => {}) // `finishOne` throws it
    underWay.push({ data, bytesAfter: batch.bytesAfter, outcome })
    if (underWay.length >= atOnce) await finishOne()
  }
  while (underWay.length > 0) await finishOne()
  return total
}
