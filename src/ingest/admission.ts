import type { Scope } from '../base/caller.ts'
import { Fault } from '../base/fault.ts'

export type Admission = {
  /** Counts a request in until `leave`. */
  enter: (scope: Scope) => Place
}

export type Place = { takeBytes: (bytes: number) => void; leave: () => void }

export type AdmissionLimits = { requestsMax: number; bytesMax: number }

const again = { headers: { 'retry-after': '1' } }

/**
 * Bounds what waits in memory. One organisation can take half of the places, so that another still finds one; it is told
 * that it sends too much at once, the others that the service is busy.
 */
export function createAdmission({ requestsMax, bytesMax }: AdmissionLimits): Admission {
  const present = new Map<number, number>()
  let requests = 0
  let bytes = 0
  return {
    enter: ({ organisationId }) => {
      const own = present.get(organisationId) ?? 0
      if (requests >= requestsMax)
        throw new Fault('SERVICE_UNAVAILABLE', { ...again, detail: 'too many requests at once' })
      if (own >= Math.ceil(requestsMax / 2)) throw new Fault('TOO_MANY_REQUESTS', again)
      requests += 1
      present.set(organisationId, own + 1)
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
          const left = (present.get(organisationId) ?? 1) - 1
          if (left === 0) present.delete(organisationId)
          else present.set(organisationId, left)
        },
      }
    },
  }
}
