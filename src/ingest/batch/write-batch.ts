import { createHash } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Scope } from '../../base/caller.ts'
import type { Clock } from '../../base/clock.ts'
import { callerLeft, type Fault, unavailable } from '../../base/fault.ts'
import { ingestLimits, limits } from '../../base/limits.ts'
import { nextNode, passOver } from '../../engine/clickhouse/next-node.ts'
import { findOwnedPanels } from '../../engine/postgres/access/panels.ts'
import {
  type BatchKey,
  type BatchTurn,
  beginBatch,
  finishBatch,
  releaseBatch,
  renewBatch,
} from '../../engine/postgres/ingest/ingest-batches.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { agentRefresher } from './new-agents.ts'
import { type IngestStores, type RowFormat, rowSource, type WriteBatch } from './batch.ts'
import { type BatchWork, repeatOutcome, storeAgain, storeFirst } from './store-batch.ts'

/**
 * The only way results get in. A batch is acknowledged when the engine has all of it; sent again it is completed, not
 * repeated, and rows that were rejected are judged anew.
 */
export function batchWriter(stores: IngestStores, now: Clock, waitMs: number = limits.batchWaitMs): WriteBatch {
  const { postgres, clickhouse } = stores
  const learnNewAgents = agentRefresher(stores)
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
      const nodes = await learnNewAgents()
      const owned = await findOwnedPanels(scope, postgres)
      const panels = batch.panel === undefined ? owned : owned.filter((panel) => panel === batch.panel)
      const work = {
        node: nextNode({ nodes }),
        judgement: { test: batch.test, database: clickhouse.database, panels, nowMs: now().epochMilliseconds },
        source: rowSource(batch.test, batch.format),
        data: batch.data,
        token: tokenOf(scope, key),
        assertGoesOn: () => {
          assertWanted()
          lease.assertHeld()
        },
        place,
      } satisfies BatchWork
      // A later part of a body may repeat a row of an earlier one.
      const isNew = turn.kind === 'first' && batch.rowsBefore === 0 && batch.anew !== true
      const storing = isNew ? storeFirst(work) : storeAgain(work, attempt)
      const outcome = await storing.catch((error: unknown) => {
        // Sent again, it goes to another one.
        passOver(clickhouse, work.node, error)
        throw error
      })
      await finishBatch(scope, postgres, key, attempt, outcome)
      return outcome
    } catch (error) {
      // Whoever cannot say so either leaves it to the lease to end.
      await releaseBatch(scope, postgres, key, attempt).catch(() => {})
      throw error
    } finally {
      lease.end()
    }
  }
}

/** Names the batch among all that are written to any table. */
const tokenOf = ({ organisationId }: Scope, { test, sha256 }: BatchKey): string =>
  `${organisationId}-${test}-${Buffer.from(sha256).toString('hex')}`

/** Enough to find a batch by. */
export const shortName = (sha256: Buffer): string => sha256.toString('hex').slice(0, 32)

/**
 * Of what is said and how it is to be read: the same cells under another header are another batch. Slice by slice: a batch
 * takes tens of milliseconds.
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
): Promise<{ turn: Exclude<BatchTurn, { kind: 'busy' }>; takenAt: number }> {
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
  /** Throws once somebody else may have taken the batch over: two who add what each finds missing would add it twice. */
  readonly assertHeld: () => void
  readonly end: () => void
}

/** Keeps a batch ours for as long as this process lives, and no longer: whoever died is replaced after one lease. */
export function keepBatchLease(takenAt: number, renew: () => Promise<boolean>): BatchLease {
  let heldUntil = takenAt + limits.batchLeaseMs
  const keep = async () => {
    const askedAt = performance.now()
    heldUntil = (await renew()) ? askedAt + limits.batchLeaseMs : 0
  }
  // A store that is away for a moment is asked again, and what it last granted ends by itself.
  const timer = setInterval(() => void keep().catch(() => {}), limits.batchLeaseMs / 3)
  return {
    assertHeld: () => {
      if (performance.now() > heldUntil) throw takenOver()
    },
    end: () => clearInterval(timer),
  }
}

const takenOver = (): Fault => unavailable('the same batch is being stored by somebody else')
