import { Fault } from '../base/fault.ts'

/** Lets a request in, or throws the 503. Whoever has been let in says when it is through, once or more often. */
export type Doorway = (isQuery: boolean) => () => void

/** Half a second's work of one copy; whoever comes behind so many would wait longer than for another copy. */
const arrivingMax = 256

/**
 * Requests that have come and whose work in a store has not begun: who asks is being looked up, what is asked is being
 * checked. Their number is bounded, and queries that would not get a place are refused here, before anything is spent on
 * them: a refusal must cost so little that twice the load leaves the other half its whole capacity.
 */
export function openDoorway(queryRefusal: () => Fault | null): Doorway {
  let arriving = 0
  return (isQuery) => {
    const refusal = arriving >= arrivingMax ? crowded() : isQuery ? queryRefusal() : null
    if (refusal !== null) throw refusal
    arriving += 1
    let isThrough = false
    return () => {
      if (!isThrough) arriving -= 1
      isThrough = true
    }
  }
}

const crowded = (): Fault =>
  new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' }, detail: 'more requests than this copy can take' })
