import type { Caller } from './caller.ts'

/** The time a query asks for, resolved: `YYYY-MM-DDTHH:MM:SS`, both ends included. */
export type AuditRange = { readonly clock: 'utc' | 'agent-local'; readonly from: string; readonly to: string }

/** What was asked. Never the token, only its number. */
export type AuditQuestion = {
  readonly endpoint: string
  readonly requestId: string
  /** Null: the request was not traced. */
  readonly traceId: string | null
  readonly body: unknown
  readonly panels: readonly number[]
  readonly range: AuditRange
}

/** What a query has given and cost. */
export type QueryCost = {
  rows: number
  /** Of the rows, before compression. */
  bytes: number
  engineMs: number
}

/** The same so far; filled in while it runs. */
export type QueryMeter = QueryCost & {
  /** By the engine. Null: not known, because it is a stream, which may read much more than it gives, or has failed. */
  rowsRead: number | null
  /** A stream has come to its end by itself. */
  isWhole: boolean
}

/** Status null: nobody was answered. `complete` false: the answer broke off. A cost that is null is not known. */
type AuditOutcome = { readonly [Cost in keyof QueryCost]: number | null } & {
  readonly status: number | null
  readonly complete: boolean
}

/** One query in the audit trail. */
export type AuditEntry = {
  /** Key for appending the outcome, as JSON. */
  readonly key: string
  /** Resolves when the question is on disk. When it rejects, nothing may be answered. */
  readonly durable: Promise<void>
  readonly finish: (outcome: AuditOutcome) => void
}

export type OpenAudit = (caller: Caller, question: AuditQuestion) => AuditEntry

/** What a statement is run for. Analytics queries get theirs by being audited. */
export type QueryOrigin = {
  readonly endpoint: string
  readonly requestId: string
  readonly traceId?: string | null
  /** Panels whose facts the statement may read. */
  readonly panels: readonly number[]
  readonly meter: QueryMeter
  /** Of the query in the audit trail. */
  readonly auditKey?: string
  /** How far the query stands back for those of others, from 0 to 19; not at all when it is left out. */
  readonly niceness?: number
  /** The engine is at it, also when its caller has left, until this is settled. */
  readonly keepPlaceUntil?: (stopped: Promise<unknown>) => void
}

export const newMeter = (): QueryMeter => ({ rows: 0, bytes: 0, engineMs: 0, rowsRead: 0, isWhole: false })
