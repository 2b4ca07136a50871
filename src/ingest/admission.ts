import type { Scope } from '../base/caller.ts'
import { countPresent } from '../base/count-present.ts'
import { rateHeaders } from '../base/fair-limits.ts'
import { Fault } from '../base/fault.ts'

export type Admission = {
  /** Counts a request in until `leave`. */
  enter: (scope: Scope) => Place
}

export type Place = { takeBytes: (bytes: number) => void; leave: () => void }

export type AdmissionLimits = { requestsMax: number; bytesMax: number }

const againAfter = 1
const again = { headers: { 'retry-after': String(againAfter) } }

/**
 * Bounds what waits in memory. One organisation can take half of the places, so that another still finds one; it is told
 * that it sends too much at once, the others that the service is busy.
 */
export function createAdmission({ requestsMax, bytesMax }: AdmissionLimits): Admission {
  const present = countPresent()
  const ownMax = Math.ceil(requestsMax / 2)
  let requests = 0
  let bytes = 0
  return {
    enter: (scope) => {
      if (requests >= requestsMax)
        throw new Fault('SERVICE_UNAVAILABLE', { ...again, detail: 'too many requests at once' })
      if (present.of(scope) >= ownMax) throw tooMany(ownMax)
      requests += 1
      present.enter(scope)
      let taken = 0
      return {
        takeBytes: (more) => {
          if (bytes + more > bytesMax)
            throw new Fault('SERVICE_UNAVAILABLE', { ...again, detail: 'too many bytes wait' })
          bytes += more
          taken += more
        },
        leave: () => {
          requests -= 1
          bytes -= taken
          present.leave(scope)
        },
      }
    },
  }
}

const tooMany = (limit: number): Fault =>
  new Fault('TOO_MANY_REQUESTS', {
    message: `Too many deliveries; at most ${limit} at once. Try again after the time in Retry-After.`,
    detail: 'deliveries at once',
    headers: { ...again.headers, ...rateHeaders({ limit, remaining: 0, resetSeconds: againAfter }) },
  })
