import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { limits } from '../../../src/base/limits.ts'
import {
  beginBatch,
  finishBatch,
  releaseBatch,
  renewBatch,
} from '../../../src/engine/postgres/ingest/ingest-batches.ts'
import { openPostgres, type Postgres } from '../../../src/engine/postgres/postgres.ts'
import { keepBatchLease } from '../../../src/ingest/batch/write-batch.ts'
import { organisation } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

describe('a lease', () => {
  afterEach(() => vi.useRealTimers())

  const wait = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

  it('is held while it is renewed, and until it expires if it cannot be renewed', async () => {
    vi.useFakeTimers()
    const renew = vi.fn<() => Promise<boolean>>(async () => true)
    const lease = keepBatchLease(performance.now(), renew)
    await wait(10 * limits.batchLeaseMs)
    expect(lease.assertHeld).not.toThrow()
    renew.mockRejectedValue(new Error('PostgreSQL is unavailable'))
    await wait(limits.batchLeaseMs / 2)
    expect(lease.assertHeld).not.toThrow()
    await wait(limits.batchLeaseMs)
    expect(lease.assertHeld).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }))
    lease.end()
  })

  it('is lost if another attempt has the batch, and not renewed after its end', async () => {
    vi.useFakeTimers()
    const renew = vi.fn<() => Promise<boolean>>(async () => false)
    const lease = keepBatchLease(performance.now(), renew)
    await wait(limits.batchLeaseMs / 3)
    expect(lease.assertHeld).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }))
    lease.end()
    const asked = renew.mock.calls.length
    await wait(limits.batchLeaseMs)
    expect(renew).toHaveBeenCalledTimes(asked)
  })
})

describe('a batch that a later attempt has taken over', () => {
  const key = { test: 'ping', sha256: Buffer.alloc(32, 7) }
  const totals = { accepted: 2, duplicates: 0, rejected: 0 }
  let world: World
  let postgres: Postgres

  beforeAll(async () => {
    world = await openWorld({})
    postgres = openPostgres({
      url: world.environment['BROADGAUGE_POSTGRES_URL'] ?? '',
      connectionsMax: 2,
      observe: () => {},
    })
  })
  afterAll(async () => {
    await postgres.close()
    await world.close()
  })

  it('is neither finished, kept nor given up by the earlier one', async () => {
    const { id: organisationId } = await organisation(world, 'acme')
    const scope = { organisationId }
    expect(await beginBatch(scope, postgres, key)).toEqual({ kind: 'first', attempt: 1 })
    expect(await renewBatch(scope, postgres, key, 1)).toBe(true)
    expect(await beginBatch(scope, postgres, key)).toEqual({ kind: 'busy' })
    // Simulate a first attempt that has stalled for longer than its lease.
    await runSql(world.superuserUrl, `UPDATE ingest_batches SET leased_until = now() - interval '1 second'`)
    expect(await beginBatch(scope, postgres, key)).toEqual({ kind: 'again', attempt: 2 })
    expect(await renewBatch(scope, postgres, key, 1)).toBe(false)
    await finishBatch(scope, postgres, key, 1, totals)
    await releaseBatch(scope, postgres, key, 1)
    expect(await beginBatch(scope, postgres, key)).toEqual({ kind: 'busy' })
    await finishBatch(scope, postgres, key, 2, totals)
    expect(await beginBatch(scope, postgres, key)).toEqual({ kind: 'stored', totals })
    expect(await renewBatch(scope, postgres, key, 2)).toBe(false)
  })
})
