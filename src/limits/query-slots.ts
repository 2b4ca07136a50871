import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Caller } from '../base/caller.ts'
import { smallestLimit, type AdmitQuery, type FairLimits } from '../base/fair-limits.ts'
import { callerLeft, type Fault, instanceBusy, tooManyRequests } from '../base/fault.ts'
import { keyedTurns } from '../base/semaphore.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { takePlace, type QueryRefusal } from '../engine/postgres/limits/running-queries.ts'
import { holdQuerySlots } from './held-query-slots.ts'
import { limitInstanceQueries, type InstanceQueries } from './instance-queries.ts'

/** Taken, beside so many others of the same organisation. */
type Slot = { readonly id: string; readonly others: number }

export type QuerySlots = {
  readonly admit: AdmitQuery
  readonly load: InstanceQueries['load']
  readonly close: () => Promise<void>
}

const nicenessMax = 19

/**
 * Lets queries run within the slots of their organisation and token, which all instances share in PostgreSQL, and within what
 * this instance can run. The queries of a token wait for a slot briefly, in the order they came.
 */
export function createQuerySlots(
  postgres: Postgres,
  shares: FairLimits,
  queriesMax: number,
  observe: Observe,
): QuerySlots {
  const instance = limitInstanceQueries(queriesMax)
  const held = holdQuerySlots(postgres, observe)
  const endings = new EventEmitter().setMaxListeners(0)
  const isUnlimited = [shares.organisation, shares.token].every(
    ({ queriesAtOnce, engineSeconds }) => queriesAtOnce === 0 && engineSeconds === 0,
  )
  const queueMax =
    smallestLimit(shares.organisation.queriesAtOnce, shares.token.queriesAtOnce) * limits.queriesWaitingPerPlace
  const inTokenQueue = keyedTurns(1, { max: queueMax, refuse: () => refusalOf(shares, queueFull) })
  const takeSlot = async (caller: Caller, signal: AbortSignal, deadline: number): Promise<Slot> => {
    const id = randomUUID()
    for (;;) {
      if (signal.aborted) throw callerLeft()
      const { refusal, others } = await takePlace(caller, postgres, shares, { id, copy: held.copy }).catch(
        (error: unknown) => {
          // It may have been taken all the same.
          void held.release({ id, costMs: 0 })
          throw error
        },
      )
      if (refusal === null) {
        held.keep(id)
        return { id, others }
      }
      if (refusal.by === 'engine-seconds' || performance.now() > deadline) throw refusalOf(shares, refusal)
      // Until one of ours ends, or a little later: those of other instances end unseen.
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
        niceness: Math.min(nicenessMax, Math.max(0, others - 1) * limits.nicenessPerQuery),
        release: ({ engineMs }) => {
          instance.leave()
          release(engineMs)
        },
      }
    },
    load: instance.load,
    close: held.close,
  }
}

const queueFull: QueryRefusal = { by: 'queries', retryMs: 1_000 }

function refusalOf({ organisation, token }: FairLimits, { by, retryMs }: QueryRefusal): Fault {
  const isOfQueries = by === 'queries'
  const limit = isOfQueries
    ? smallestLimit(organisation.queriesAtOnce, token.queriesAtOnce)
    : smallestLimit(organisation.engineSeconds, token.engineSeconds)
  // Nobody has set one: what is slow is the way to a slot.
  if (limit === Infinity) return instanceBusy('query slots are given too slowly')
  const what = isOfQueries
    ? `queries at once; at most ${limit} run`
    : `heavy queries; ${limit} seconds of the engine a minute are used up`
  return tooManyRequests({ what, limit, retryMs, detail: by })
}
