import type { Scope } from '../base/caller.ts'
import { countPresent } from '../base/count-present.ts'
import { rateHeaders } from '../base/fair-limits.ts'
import { Fault } from '../base/fault.ts'

/** Lets a request in, or throws the 503. */
export type Doorway = (isQuery: boolean) => Arrival

export type Arrival = {
  /** Says whose it is, as soon as that is known; throws the 429 when too many of theirs are arriving. */
  readonly belongTo: (scope: Scope) => void
  /** Said by whoever has been let in, once or more often. */
  readonly through: () => void
}

/** Half a second's work of one copy; whoever comes behind so many would wait longer than for another copy. */
const arrivingMax = 256
/** Of one organisation, where more than half of the places are taken. Elsewhere a second's share comes in at one go. */
const ownMax = arrivingMax / 4
const crowdedFrom = arrivingMax / 2

/**
 * Requests that have come and whose work in a store has not begun: who asks is being looked up, what is asked is being
 * checked. Their number is bounded, and queries that would not get a place are refused here, before anything is spent on
 * them: a refusal must cost so little that twice the load leaves the other half its whole capacity. An organisation whose
 * requests do not come through, such as bodies that are sent slowly, leaves the others their places.
 */
export function openDoorway(queryRefusal: () => Fault | null): Doorway {
  const own = countPresent()
  let arriving = 0
  return (isQuery) => {
    const refusal = arriving >= arrivingMax ? crowded() : isQuery ? queryRefusal() : null
    if (refusal !== null) throw refusal
    arriving += 1
    let isThrough = false
    let owner: Scope | null = null
    const through = () => {
      if (isThrough) return
      isThrough = true
      arriving -= 1
      if (owner !== null) own.leave(owner)
    }
    const belongTo = (scope: Scope) => {
      // The caller may have left meanwhile.
      if (isThrough) return
      if (arriving > crowdedFrom && own.of(scope) >= ownMax) {
        through()
        throw tooMany()
      }
      owner = scope
      own.enter(scope)
    }
    return { belongTo, through }
  }
}

const crowded = (): Fault =>
  new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' }, detail: 'more requests than this copy can take' })

const tooMany = (): Fault =>
  new Fault('TOO_MANY_REQUESTS', {
    message: `Too many requests at once; at most ${ownMax} may be arriving. Try again after the time in Retry-After.`,
    headers: { 'retry-after': '1', ...rateHeaders({ limit: ownMax, remaining: 0, resetSeconds: 1 }) },
    detail: 'requests at once',
  })
