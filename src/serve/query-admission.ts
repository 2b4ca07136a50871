import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Caller } from '../base/caller.ts'
import { rateHeaders, type Admission, type AdmitQuery, type FairLimits, type QueryQueues } from '../base/fair-limits.ts'
import { callerLeft, Fault } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { takePlace, type QueryRefusal } from '../engine/postgres/running-queries.ts'
import { limitCapacity, type Capacity } from './copy-capacity.ts'
import { keepConsideration } from './consideration.ts'
import { keepPlaces } from './query-places.ts'
import { createQueues } from './token-queues.ts'
import { turnAwayCrowds } from './turn-away-crowds.ts'

/** Taken, beside so many others of the same organisation. */
type Place = { readonly id: string; readonly others: number }

export type QueryAdmission = QueryQueues & {
  readonly admit: AdmitQuery
  readonly load: Capacity['load']
  readonly close: () => Promise<void>
}

/**
 * Lets queries run within the shares that all copies hold together, and within what this copy can do. A query waits for a
 * place briefly, those of one token in the order they came.
 */
export function admitQueries(
  postgres: Postgres,
  shares: FairLimits,
  queriesMax: number,
  observe: Observe,
): QueryAdmission {
  const capacity = limitCapacity(queriesMax)
  const consideration = keepConsideration()
  const places = keepPlaces(postgres, observe)
  const endings = new EventEmitter().setMaxListeners(0)
  const queues = createQueues(smallestShare(shares) * limits.queriesWaitingPerPlace)
  const takeOwnPlace = async (caller: Caller, signal: AbortSignal, deadline: number): Promise<Place> => {
    const id = randomUUID()
    for (;;) {
      if (signal.aborted) throw callerLeft()
      const { refusal, others } = await takePlace(caller, postgres, shares, { id, copy: places.copy }).catch(
        (error: unknown) => {
          // It may have been taken all the same.
          void places.leave({ id, costMs: 0 })
          throw error
        },
      )
      if (refusal === null) {
        places.keep(id)
        return { id, others }
      }
      if (refusal.by === 'engine-seconds' || performance.now() > deadline) throw tooMany(shares, refusal)
      // Until one of ours ends, or a little later: those of other copies end unseen.
      const pause = AbortSignal.timeout(limits.queryPollMs)
      await once(endings, String(caller.organisationId), { signal: pause }).catch(() => {})
    }
  }
  return {
    admit: async (caller, signal) => {
      if (isUnlimited(shares)) return enterAlone(capacity)
      const deadline = performance.now() + limits.queryWaitMs
      const { id, others } = await queues.inTurn(
        caller.tokenId,
        () => takeOwnPlace(caller, signal, deadline),
        () => tooMany(shares, queueFull),
      )
      const leave = (costMs: number) =>
        void places.leave({ id, costMs }).finally(() => endings.emit(String(caller.organisationId)))
      await capacity.enter().catch((error: unknown) => {
        leave(0)
        throw error
      })
      return {
        niceness: nicenessOf(consideration.begin(caller.organisationId), others),
        release: (cost) => {
          consideration.end(caller.organisationId, cost)
          capacity.leave()
          leave(cost.engineMs)
        },
      }
    },
    ...turnAwayCrowds(queues, () => tooMany(shares, queueFull)),
    overload: capacity.refusal,
    load: capacity.load,
    close: places.close,
  }
}

const queueFull: QueryRefusal = { by: 'queries', retryMs: 1_000 }

/** While nothing is known: the more of an organisation's queries run, the less each gets. */
const nicenessOf = (byWork: number | null, others: number): number =>
  byWork ?? Math.min(19, others * limits.nicenessPerQuery)

/** Nothing to be counted together with others. */
const isUnlimited = ({ organisation, token }: FairLimits): boolean =>
  [organisation, token].every((share) => share.queriesAtOnce === 0 && share.engineSeconds === 0)

async function enterAlone(capacity: Capacity): Promise<Admission> {
  await capacity.enter()
  return { niceness: 0, release: capacity.leave }
}

const smallestShare = ({ organisation, token }: FairLimits): number =>
  Math.min(...[organisation.queriesAtOnce, token.queriesAtOnce].map((most) => (most === 0 ? Infinity : most)))

function tooMany({ organisation, token }: FairLimits, { by, retryMs }: QueryRefusal): Fault {
  const resetSeconds = Math.max(1, Math.ceil(retryMs / 1000))
  const [one, other] =
    by === 'queries'
      ? [organisation.queriesAtOnce, token.queriesAtOnce]
      : [organisation.engineSeconds, token.engineSeconds]
  const limit = Math.min(...[one, other].map((most) => (most === 0 ? Infinity : most)))
  // Nobody has set one: what is slow is the way to a place.
  if (limit === Infinity)
    return new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' }, detail: 'places are given too slowly' })
  const what =
    by === 'queries'
      ? `queries at once; at most ${limit} run`
      : `heavy queries; ${limit} seconds of the engine a minute are used up`
  return new Fault('TOO_MANY_REQUESTS', {
    message: `Too many ${what}. Try again after the time in Retry-After.`,
    headers: { 'retry-after': String(resetSeconds), ...rateHeaders({ limit, remaining: 0, resetSeconds }) },
    detail: by,
  })
}
