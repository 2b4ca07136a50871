import type { Scope } from '../base/caller.ts'
import { countPresent } from '../base/count-present.ts'
import { instanceBusy, tooManyRequests, type Fault } from '../base/fault.ts'

export type Admission = {
  /** Counts a request in until `leave`. */
  enter: (scope: Scope) => Place
}

export type Place = { takeBytes: (bytes: number) => void; leave: () => void }

export type AdmissionLimits = { requestsMax: number; bytesMax: number }

/**
 * Bounds what waits in memory. One organisation can take half of the places and half of the bytes, so that another still
 * finds room; it is told that it sends too much at once, the others that the service is busy.
 */
export function createAdmission({ requestsMax, bytesMax }: AdmissionLimits): Admission {
  const present = countPresent()
  const waiting = countPresent()
  const ownMax = Math.ceil(requestsMax / 2)
  const ownBytesMax = Math.ceil(bytesMax / 2)
  let requests = 0
  let bytes = 0
  return {
    enter: (scope) => {
      if (requests >= requestsMax) throw instanceBusy('too many requests at once')
      if (present.of(scope) >= ownMax) throw tooMany(ownMax, String(ownMax), 'deliveries at once')
      requests += 1
      present.enter(scope)
      let taken = 0
      return {
        takeBytes: (more) => {
          if (bytes + more > bytesMax) throw instanceBusy('too many bytes wait')
          if (waiting.of(scope) + more > ownBytesMax)
            throw tooMany(ownBytesMax, `${ownBytesMax / 1024 ** 2} MiB`, 'bytes of deliveries at once')
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
  tooManyRequests({ what: `deliveries; at most ${shown} at once`, limit, detail })
