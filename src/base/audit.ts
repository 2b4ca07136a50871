import type { Caller } from './caller.ts'

/**
 * The time range that a query covers, with relative times already resolved. `from` and `to` have the form
 * `YYYY-MM-DDTHH:MM:SS`, and both ends are included.
 */
export type AuditRange = { readonly clock: 'utc' | 'agent-local'; readonly from: string; readonly to: string }

/** A request as the audit trail records it. It contains the internal id of the API token, never the token itself. */
export type AuditedQuery = {
  readonly endpoint: string
  readonly requestId: string
  /** Null if the request was not traced. */
  readonly traceId: string | null
  readonly body: unknown
  readonly panels: readonly number[]
  readonly range: AuditRange
}

/** The size of the result and the cost of a query. */
export type QueryCost = {
  rows: number
  /** Size of the rows before compression. */
  bytes: number
  engineMs: number
}

/** The cost of one query. The fields grow while the query runs. */
export type QueryMeter = Omit<QueryCost, 'rows'> & {
  /** Null if the number is unknown: for a stream of Arrow. */
  rows: number | null
  /**
   * Number of rows that the engine has read. Null if the number is unknown: for a failed query and for a stream. A stream can
   * read far more rows than it returns.
   */
  rowsRead: number | null
  /** True if the stream has reached its end. */
  isWhole: boolean
}

/**
 * What the audit trail records when a request ends.
 *
 * - `status`: null if the service sent no response.
 * - `complete`: false if the response ended early.
 * - The fields of `QueryCost`: null if unknown.
 */
type AuditOutcome = { readonly [Cost in keyof QueryCost]: number | null } & {
  readonly status: number | null
  readonly complete: boolean
}

/** One query in the audit trail. */
export type AuditEntry = {
  /** Identifies the record, so that the outcome can be added later. JSON. */
  readonly key: string
  /** Resolves when the record is on disk. If this promise rejects, the service must not answer the request. */
  readonly durable: Promise<void>
  readonly finish: (outcome: AuditOutcome) => void
}

export type OpenAudit = (caller: Caller, query: AuditedQuery) => AuditEntry

/**
 * Where a statement comes from: the endpoint and the request that it runs for. For an analytics query, the service creates the
 * origin when it writes the audit record.
 */
export type QueryOrigin = {
  readonly endpoint: string
  readonly requestId: string
  readonly traceId?: string | null
  /** Panels whose facts the statement may read. */
  readonly panels: readonly number[]
  readonly meter: QueryMeter
  /** Key of the audit record of this query. */
  readonly auditKey?: string
  /** Scheduling priority in the engine: 0 is the default and the highest, 19 the lowest. */
  readonly niceness?: number
  /**
   * Keeps the query slot in use until `stopped` settles: the engine can still run the query after the caller has
   * disconnected.
   */
  readonly keepSlotUntil?: (stopped: Promise<unknown>) => void
}

export const newMeter = (): QueryMeter => ({ rows: 0, bytes: 0, engineMs: 0, rowsRead: 0, isWhole: false })
