import type { QueryMeter } from './audit.ts'
import type { Caller, Scope } from './caller.ts'
import type { Fault } from './fault.ts'

/** The quota of one organisation or one API token. In each field, 0 means unlimited. */
type Quota = {
  readonly requestsPerSecond: number
  readonly queriesAtOnce: number
  /** Engine time per minute, in seconds. */
  readonly engineSeconds: number
}

/** Returns the smallest of several limits, where 0 means unlimited. Returns Infinity if all are unlimited. */
export const smallestLimit = (...each: readonly number[]): number =>
  Math.min(...each.map((max) => (max === 0 ? Infinity : max)))

export type Quotas = { readonly organisation: Quota; readonly token: Quota }

/** Permission to run a query. `release` frees the query slot and charges the cost to the quota. */
export type Admission = {
  /** Scheduling priority in the engine: 0 is the highest, 19 the lowest. */
  readonly niceness: number
  readonly release: (cost: QueryMeter) => void
}

/** Resolves when the query may run. Rejects with a 429 or 503 if it may not. */
export type AdmitQuery = (caller: Caller, signal: AbortSignal) => Promise<Admission>

/** The request slot of a request that an instance has accepted and not yet answered. */
export type RequestSlot<Owner extends Scope> = {
  /** The owner of the credential according to this instance's last look-up; null if the instance has not looked it up. */
  readonly known: Owner | null
  /**
   * Looks up the credential and counts the slot for the organisation that owns the credential. Throws a 429 if this
   * organisation has too many slots.
   */
  readonly identify: (lookUp: () => Promise<Owner>) => Promise<Owner>
  /** Frees the slot. A second call has no effect. */
  readonly release: () => void
}

/**
 * `credential` is an API token or a session secret, or empty if the request has none. Throws a 429 or 503 if no slot is free.
 */
export type TakeRequestSlot<Owner extends Scope> = (sender: {
  readonly credential: string
  readonly network: string
}) => RequestSlot<Owner>

export type RateLimit = {
  /**
   * Counts one request against the caller's rate limit and returns the `RateLimit-*` headers. Throws a 429 if the limit is
   * used up.
   */
  readonly take: (caller: Caller) => Promise<Readonly<Record<string, string>>>
  /** Returns the 429 while this instance knows that the caller's rate limit is used up, otherwise null. Needs no round trip. */
  readonly refusal: (caller: Caller) => Fault | null
}

/**
 * Runs `work`, a metadata change, when a change slot is free. Throws if the caller has disconnected while it waited, and throws
 * a 429 if too many changes wait.
 */
export type InChangeSlot = <Result>(scope: Scope, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>

/** Limits guesses of the secrets of links. `network` is a key of `networkOf`. */
export type GuessLimit = {
  /** Returns the 429 while the network has guessed too often, otherwise null. */
  readonly refusal: (network: string) => Fault | null
  /** Counts a request for a link that does not work. */
  readonly count: (network: string) => void
}
