import { hash } from 'node:crypto'
import type { Scope } from '../base/caller.ts'
import type { TakeRequestSlot } from '../base/quotas.ts'
import { callerLeft, Fault, instanceBusy, tooManyRequests } from '../base/fault.ts'
import { evictOldest } from '../base/evict-oldest.ts'
import { limits } from '../base/limits.ts'
import { semaphore } from '../base/semaphore.ts'

/**
 * Maximum number of unanswered requests. One instance answers this many in about half a second. If there are more, another
 * instance responds sooner.
 */
const slotsMax = 256
const crowdedFrom = slotsMax / 2
/** Slots for credentials that this instance has not verified yet: `unknownMax` in total, `unknownOfNetworkMax` per network. */
const unknownMax = 128
const unknownOfNetworkMax = 64
/** Maximum number of PostgreSQL connections that lookups of unknown credentials use at a time. */
const unknownLookupsMax = 4

/**
 * Limits the unanswered requests of an instance.
 * - A request with a credential that this instance has verified before counts for its organisation from the first byte. An
 *   organisation may take half of the slots, or a quarter while half of all slots are taken.
 * - Requests with other credentials have separate slots and lookups, counted per network. So requests with forged tokens never
 *   compete with requests of known tokens.
 */
export function createRequestSlots<Owner extends Scope>(): TakeRequestSlot<Owner> {
  const organisations = createPool<number>()
  const networks = createPool<string>()
  const owners = new Map<string, Owner>()
  const lookUpUnknown = semaphore(unknownLookupsMax)
  const enterOrganisation = (organisationId: number) => {
    const ownMax = organisations.total() >= crowdedFrom ? slotsMax / 4 : slotsMax / 2
    if (organisations.of(organisationId) >= ownMax) throw tooManyOf(organisationId, ownMax)
    if (organisations.total() >= slotsMax) throw full('request slots')
    return organisations.enter(organisationId)
  }
  const enterNetwork = (network: string) => {
    if (networks.of(network) >= unknownOfNetworkMax) throw tooManyFrom(network)
    if (networks.total() >= unknownMax) throw full('slots for unknown credentials')
    return networks.enter(network)
  }
  return ({ credential, network }) => {
    const key = hash('sha256', credential)
    const owner = owners.get(key)
    const takenAt = performance.now()
    let leave = owner === undefined ? enterNetwork(network) : enterOrganisation(owner.organisationId)
    let isReleased = false
    return {
      known: owner ?? null,
      identify: async (lookUp) => {
        const inTime = () => {
          if (isReleased) throw callerLeft()
          if (performance.now() - takenAt > limits.lookupTimeoutMs) throw full('lookups of unknown credentials')
          return lookUp()
        }
        const found = await (owner === undefined ? lookUpUnknown(inTime) : lookUp()).catch((error: unknown) => {
          if (error instanceof Fault && error.code === 'ACCESS_DENIED') owners.delete(key)
          throw error
        })
        if (owner === undefined) {
          owners.set(key, found)
          evictOldest(owners)
          leave()
          if (!isReleased) leave = enterOrganisation(found.organisationId)
        }
        return found
      },
      release: () => {
        isReleased = true
        leave()
      },
    }
  }
}

/** Counts the taken slots per holder and in total. */
function createPool<Holder>() {
  const held = new Map<Holder, number>()
  let total = 0
  const add = (holder: Holder, count: number) => {
    total += count
    const own = (held.get(holder) ?? 0) + count
    if (own === 0) held.delete(holder)
    else held.set(holder, own)
  }
  return {
    of: (holder: Holder) => held.get(holder) ?? 0,
    total: () => total,
    enter: (holder: Holder) => {
      let isIn = true
      add(holder, 1)
      return () => {
        if (isIn) add(holder, -1)
        isIn = false
      }
    },
  }
}

const full = (of: string): Fault => instanceBusy(`all ${of} of this instance are taken`)

const tooManyOf = (organisationId: number, max: number): Fault =>
  tooMany(`at most ${max} of your organisation may be unanswered`, max, `organisation ${organisationId}`)

const tooManyFrom = (network: string): Fault =>
  tooMany(`at most ${unknownOfNetworkMax} from your network may wait for authentication`, unknownOfNetworkMax, network)

const tooMany = (rule: string, limit: number, sender: string): Fault =>
  tooManyRequests({ what: `requests at once; ${rule}`, limit, detail: `requests at once of ${sender}` })
