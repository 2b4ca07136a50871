import type { QueryMeter } from './audit.ts'
import type { Caller, Scope } from './caller.ts'
import type { Fault } from './fault.ts'

/** What one subject may have; 0 is no limit. */
type Share = {
  readonly requestsPerSecond: number
  readonly queriesAtOnce: number
  /** Of the engine, in a minute. */
  readonly engineSeconds: number
}

/** Of limits of which 0 is none; Infinity if there is none at all. */
export const smallestLimit = (...each: readonly number[]): number =>
  Math.min(...each.map((max) => (max === 0 ? Infinity : max)))

export type FairLimits = { readonly organisation: Share; readonly token: Share }

/** A query that may run, until it is released with what it has cost. */
export type Admission = {
  /** How far it stands back for the queries of others: 0 not at all, 19 as far as can be. */
  readonly niceness: number
  readonly release: (cost: QueryMeter) => void
}

/** Resolves when the query may run; throws the 429 or 503 when it may not. */
export type AdmitQuery = (caller: Caller, signal: AbortSignal) => Promise<Admission>

/** One of the requests an instance has taken and not answered. */
export type RequestSlot<Owner extends Scope> = {
  /** Whose credential it was when this instance last looked it up; null if it never did. */
  readonly known: Owner | null
  /** Runs the lookup of the credential and gives the slot to the organisation it finds; throws the 429 if that has too many. */
  readonly identify: (lookUp: () => Promise<Owner>) => Promise<Owner>
  /** Gives the slot back; more than once does no harm. */
  readonly release: () => void
}

/** `credential` is a token or the secret of a session, empty if there is none. Throws the 429 or 503. */
export type TakeRequestSlot<Owner extends Scope> = (sender: {
  readonly credential: string
  readonly network: string
}) => RequestSlot<Owner>

export type RateLimit = {
  /** Takes one request out of the caller's rate and returns the headers that tell how much is left; throws the 429. */
  readonly take: (caller: Caller) => Promise<Readonly<Record<string, string>>>
  /** The 429 while this instance knows that the caller's rate is used up, otherwise null. Costs no round trip. */
  readonly refusal: (caller: Caller) => Fault | null
}

/** Makes a change when it is its turn, unless the caller has left by then; throws the 429 when too many wait. */
export type InChangeTurn = <Result>(scope: Scope, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>
