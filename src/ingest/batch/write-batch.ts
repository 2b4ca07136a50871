import { createHash } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Scope } from '../../base/caller.ts'
import type { Clock } from '../../base/clock.ts'
import { callerLeft, type Fault, unavailable } from '../../base/fault.ts'
import { ingestLimits, limits } from '../../base/limits.ts'
import { nextNode, withoutNode } from '../../engine/clickhouse/next-node.ts'
import { findOwnedPanels } from '../../engine/postgres/access/panels.ts'
import {
  type BatchKey,
  type BatchClaim,
  beginBatch,
  finishBatch,
  releaseBatch,
  renewBatch,
} from '../../engine/postgres/ingest/ingest-batches.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { nodesWithAgents } from './new-agents.ts'
import { type IngestStores, type RowFormat, rowSource, type WriteBatch } from './batch.ts'
import { type BatchWork, repeatOutcome, storeAgain, storeFirst } from './store-batch.ts'

/**
 * Returns the only function that stores results. It resolves when ClickHouse has stored the whole batch. If a batch is sent
 * again, the function stores only the missing rows and checks the rejected rows again.
 */
export function batchWriter(stores: IngestStores, now: Clock, waitMs: number = limits.batchWaitMs): WriteBatch {
  const { postgres, clickhouse } = stores
  const findNodesWithAgents = nodesWithAgents(stores)
  return async (scope, batch) => {
    const key = { test: batch.test.key, sha256: await batchHash(batch.format, batch.data, batch.panel) }
    const assertWanted = () => {
      if (batch.signal?.aborted === true) throw callerLeft()
    }
    const { turn, takenAt } = await takeTurn(scope, postgres, key, waitMs, assertWanted)
    const place = {
      organisation: scope.organisationId,
      batch: batch.name ?? shortName(key.sha256),
      rowsBefore: batch.rowsBefore,
      source: batch.source,
    }
    if (turn.kind === 'stored') return repeatOutcome(clickhouse, batch.test, place, turn.totals)
    const { attempt } = turn
    const lease = keepBatchLease(takenAt, () => renewBatch(scope, postgres, key, attempt))
    try {
      const nodes = await findNodesWithAgents()
      const owned = await findOwnedPanels(scope, postgres)
      const panels = batch.panel === undefined ? owned : owned.filter((panel) => panel === batch.panel)
      const work = {
        node: nextNode({ nodes }),
        validation: { test: batch.test, database: clickhouse.database, panels, nowMs: now().epochMilliseconds },
        source: rowSource(batch.test, batch.format),
        data: batch.data,
        token: tokenOf(scope, key),
        assertGoesOn: () => {
          assertWanted()
          lease.assertHeld()
        },
        place,
      } satisfies BatchWork
      // Only the first batch of a body can count as new: a later batch may repeat a row of an earlier batch.
      const isNew = turn.kind === 'first' && batch.rowsBefore === 0 && batch.anew !== true
      const storing = isNew ? storeFirst(work) : storeAgain(work, attempt)
      const outcome = await storing.catch((error: unknown) => {
        // If the node is unreachable, another node gets the batch when the sender retries.
        withoutNode(clickhouse, work.node, error)
        throw error
      })
      await finishBatch(scope, postgres, key, attempt, outcome)
      return outcome
    } catch (error) {
      // If this fails too, the lease expires.
      await releaseBatch(scope, postgres, key, attempt).catch(() => {})
      throw error
    } finally {
      lease.end()
    }
  }
}

/** The deduplication token of a batch, unique among all batches of all tables. */
const tokenOf = ({ organisationId }: Scope, { test, sha256 }: BatchKey): string =>
  `${organisationId}-${test}-${Buffer.from(sha256).toString('hex')}`

export const shortName = (sha256: Buffer): string => sha256.toString('hex').slice(0, 32)

/**
 * The hash includes the format: the same cells under another header are another batch. It is computed in slices, because
 * hashing a whole batch would block the event loop for tens of milliseconds.
 */
export async function batchHash(format: RowFormat, data: Uint8Array, panel?: number): Promise<Buffer> {
  const hash = createHash('sha256')
    .update(JSON.stringify({ ...format, panel }))
    .update('\n')
  for (let at = 0; at < data.length; at += sliceBytes) {
    if (at > 0) await setImmediate()
    hash.update(data.subarray(at, at + sliceBytes))
  }
  return hash.digest()
}

const sliceBytes = ingestLimits.sliceBytes

async function takeTurn(
  scope: Scope,
  postgres: Postgres,
  key: BatchKey,
  waitMs: number,
  assertWanted: () => void,
): Promise<{ turn: Exclude<BatchClaim, { kind: 'busy' }>; takenAt: number }> {
  const deadline = performance.now() + waitMs
  for (;;) {
    assertWanted()
    const takenAt = performance.now()
    const turn = await beginBatch(scope, postgres, key)
    if (turn.kind !== 'busy') return { turn, takenAt }
    if (performance.now() > deadline) throw takenOver()
    await setTimeout(limits.batchPollMs)
  }
}

export type BatchLease = {
  /** Throws if another instance may have taken over the batch. Otherwise both instances would insert the missing rows. */
  readonly assertHeld: () => void
  readonly end: () => void
}

/**
 * Renews the lease of a batch while this process lives. If it dies, another instance can take over the batch when the lease
 * expires.
 */
export function keepBatchLease(takenAt: number, renew: () => Promise<boolean>): BatchLease {
  let heldUntil = takenAt + limits.batchLeaseMs
  const keep = async () => {
    const askedAt = performance.now()
    heldUntil = (await renew()) ? askedAt + limits.batchLeaseMs : 0
  }
  // If PostgreSQL is unavailable, the next interval tries again. If no renewal succeeds, the lease expires.
  const timer = setInterval(() => void keep().catch(() => {}), limits.batchLeaseMs / 3)
  return {
    assertHeld: () => {
      if (performance.now() > heldUntil) throw takenOver()
    },
    end: () => clearInterval(timer),
  }
}

const takenOver = (): Fault => unavailable('another request is storing the same batch')
