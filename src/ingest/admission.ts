import type { Scope } from '../base/caller.ts'
import { countByOrganisation } from '../base/count-by-organisation.ts'
import { instanceBusy, tooManyRequests, type Fault } from '../base/fault.ts'

export type Admission = {
  /**
   * Counts the request until `leave` is called. Throws a 429 if the organisation has too many requests, and a 503 if the
   * instance has.
   */
  enter: (scope: Scope) => Place
}

export type Place = { takeBytes: (bytes: number) => void; leave: () => void }

export type AdmissionLimits = { requestsMax: number; bytesMax: number }

/**
 * Limits the ingest requests that an instance holds in memory. An organisation may have at most half of the requests and half
 * of the bytes, so that other organisations can send too. If the organisation exceeds its half, it gets a 429. If the instance
 * is full, every sender gets a 503.
 */
export function createAdmission({ requestsMax, bytesMax }: AdmissionLimits): Admission {
  const present = countByOrganisation()
  const waiting = countByOrganisation()
  const ownMax = Math.ceil(requestsMax / 2)
  const ownBytesMax = Math.ceil(bytesMax / 2)
  let requests = 0
  let bytes = 0
  return {
    enter: (scope) => {
      if (requests >= requestsMax) throw instanceBusy('too many requests at once')
      if (present.of(scope) >= ownMax) throw tooMany(ownMax, String(ownMax), 'ingest requests at once')
      requests += 1
      present.enter(scope)
      let taken = 0
      return {
        takeBytes: (more) => {
          if (bytes + more > bytesMax) throw instanceBusy('too many bytes wait')
          if (waiting.of(scope) + more > ownBytesMax)
            throw tooMany(ownBytesMax, `${ownBytesMax / 1024 ** 2} MiB`, 'bytes of ingest requests at once')
          bytes += more
          waiting.enter(scope, more)
          taken += more
        },
        leave: () => {
          requests -= 1
          bytes -= taken
          waiting.leave(scope, taken)
          present.leave(scope)
        },
      }
    },
  }
}

const tooMany = (limit: number, shown: string, detail: string): Fault =>
  tooManyRequests({ what: `ingest requests; at most ${shown} at once`, limit, detail })
