import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Caller } from '../base/caller.ts'
import { smallestLimit, type AdmitQuery, type Quotas } from '../base/quotas.ts'
import { callerLeft, type Fault, instanceBusy, tooManyRequests } from '../base/fault.ts'
import { keyedSemaphore } from '../base/semaphore.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { takeQuerySlot, type QueryRefusal } from '../engine/postgres/limits/running-queries.ts'
import { holdQuerySlots } from './held-query-slots.ts'
import { limitInstanceQueries, type InstanceQueries } from './instance-queries.ts'
import { createPriorities } from './priorities.ts'

/** `others` is how many other queries the organisation runs. */
type Slot = { readonly id: string; readonly others: number }

export type QuerySlots = {
  readonly admit: AdmitQuery
  readonly load: InstanceQueries['load']
  readonly close: () => Promise<void>
}

/**
 * Limits queries in two ways: by query slots of their organisation and API token, which all instances share in PostgreSQL, and
 * by the number of queries that this instance can run. The queries of an API token wait briefly for a query slot, first in,
 * first out.
 */
export function createQuerySlots(postgres: Postgres, quotas: Quotas, queriesMax: number, observe: Observe): QuerySlots {
  const instance = limitInstanceQueries(queriesMax)
  const held = holdQuerySlots(postgres, observe)
  const priorities = createPriorities()
  const endings = new EventEmitter().setMaxListeners(0)
  const isUnlimited = [quotas.organisation, quotas.token].every(
    ({ queriesAtOnce, engineSeconds }) => queriesAtOnce === 0 && engineSeconds === 0,
  )
  const inTokenQueue = keyedSemaphore(1, {
    max: limits.queriesWaitingMax,
    refuse: () => refusalOf(quotas, slotsTaken),
  })
  const takeSlot = async (caller: Caller, signal: AbortSignal, deadline: number): Promise<Slot> => {
    const id = randomUUID()
    for (;;) {
      if (signal.aborted) throw callerLeft()
      if (performance.now() > deadline) throw refusalOf(quotas, slotsTaken)
      const { refusal, others } = await takeQuerySlot(caller, postgres, quotas, { id, instance: held.instance }).catch(
        (error: unknown) => {
          // PostgreSQL may have committed the slot even if the call failed.
          void held.release({ id, costMs: 0 })
          throw error
        },
      )
      if (refusal === null) {
        held.keep(id)
        return { id, others }
      }
      if (refusal.by === 'engine-seconds') throw refusalOf(quotas, refusal)
      // When a query of this instance ends, an event ends the pause. To notice the end of queries of other instances, poll
      // PostgreSQL.
      const pause = AbortSignal.timeout(limits.queryPollMs)
      await once(endings, String(caller.organisationId), { signal: pause }).catch(() => {})
    }
  }
  return {
    admit: async (caller, signal) => {
      if (isUnlimited) {
        await instance.enter()
        return { niceness: 0, release: instance.leave }
      }
      const deadline = performance.now() + limits.queryWaitMs
      const { id, others } = await inTokenQueue(caller.tokenId, () => takeSlot(caller, signal, deadline))
      const release = (costMs: number) =>
        void held.release({ id, costMs }).finally(() => endings.emit(String(caller.organisationId)))
      await instance.enter().catch((error: unknown) => {
        release(0)
        throw error
      })
      return {
        niceness: priorities.nicenessOf(caller.organisationId, others),
        release: (cost) => {
          instance.leave()
          priorities.record(caller.organisationId, cost)
          release(cost.engineMs)
        },
      }
    },
    load: instance.load,
    close: held.close,
  }
}

const slotsTaken: QueryRefusal = { by: 'queries', retryMs: 1_000 }

function refusalOf({ organisation, token }: Quotas, { by, retryMs }: QueryRefusal): Fault {
  const isOfQueries = by === 'queries'
  const limit = isOfQueries
    ? smallestLimit(organisation.queriesAtOnce, token.queriesAtOnce)
    : smallestLimit(organisation.engineSeconds, token.engineSeconds)
  // If no limit is configured, a query is refused only because PostgreSQL responded too slowly.
  if (limit === Infinity) return instanceBusy('query slots are given too slowly')
  const what = isOfQueries
    ? `queries at once; at most ${limit} run`
    : `heavy queries; ${limit} seconds of the engine a minute are used up`
  return tooManyRequests({ what, limit, retryMs, detail: by })
}
