import type { QueryMeter } from './audit.ts'
import type { Caller, Scope } from './caller.ts'

/** What one subject may have; 0 is no limit. */
type Share = {
  readonly requestsPerSecond: number
  readonly queriesAtOnce: number
  /** Of the engine, in a minute. */
  readonly engineSeconds: number
}

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
export type RequestSlot = {
  /** Runs the lookup of the credential and gives the slot to the organisation it finds; throws the 429 if that has too many. */
  readonly identify: <Owner extends Scope>(lookUp: () => Promise<Owner>) => Promise<Owner>
  /** Gives the slot back; more than once does no harm. */
  readonly release: () => void
}

/** `credential` is a token or the secret of a session, empty if there is none. Throws the 429 or 503. */
export type TakeRequestSlot = (sender: { readonly credential: string; readonly network: string }) => RequestSlot

/** Takes one request out of the caller's rate and answers the headers that tell how much is left; throws the 429. */
export type TakeRequest = (caller: Caller) => Promise<Readonly<Record<string, string>>>

/** Makes a change when it is its turn, unless the caller has left by then; throws the 429 when too many wait. */
export type InChangeTurn = <Result>(scope: Scope, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>
