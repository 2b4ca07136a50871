import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Caller, Scope, TokenScope } from '../base/caller.ts'
import type { InChangeSlot } from '../base/quotas.ts'
import type { IngestRequest } from '../check/rows/ingest-request.ts'
import type { RollupTerms } from '../compile/rollup/rollup-terms.ts'
import type { Envelope } from '../envelope/envelope.ts'
import type { IngestReport } from '../envelope/ingest-report.ts'
import type { Formatted } from '../envelope/formats/formatted.ts'
import type { Streamed } from '../envelope/streamed.ts'
import type { QueryCosts } from '../execute/query-costs.ts'
import type { ExportContext } from '../execute/request-export.ts'
import type { AnalyticsQuery } from './analytics-query.ts'
import type { Deadline } from './first-byte-deadline.ts'

/** The interface of a route determines its base URL and how callers send their token. */
export type InterfaceName = 'data' | 'metadata' | 'ingest' | 'console'

export type RouteContext = ExportContext & {
  /** The version and the retention of each test's rollups. */
  readonly rollups: RollupTerms
  /** How long queries took, for estimates. */
  readonly costs: QueryCosts
  readonly ingest: (
    scope: Scope,
    request: IngestRequest,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) => Promise<IngestReport>
  readonly inChangeSlot: InChangeSlot
  /** Wakes the reconciler, which reloads ClickHouse's dictionaries. */
  readonly onMetadataChange: () => void
}

type RouteRequest = {
  readonly body: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
  readonly deadline: Deadline
  readonly admission: {
    /** Call this before querying results: the audit trail must contain the query before its response is complete. */
    readonly beginQuery: AnalyticsQuery['begin']
    /** Releases the request slot. Call it before a wait, if another limit restricts the number of waiting requests. */
    readonly releaseSlot: () => void
    /** Throws if the token has been revoked meanwhile. For routes that stream their body, because the body may take minutes. */
    readonly confirmCaller: () => Promise<unknown>
  }
}

type HeadedEnvelope = { readonly envelope: Envelope; readonly headers: Readonly<Record<string, string>> }

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Route = {
  readonly interface: InterfaceName
  readonly method: Method
  readonly path: string
  /** The token scope that the caller needs. */
  readonly scope: TokenScope
  readonly handle: Handle
}

export type Handle = (
  context: RouteContext,
  caller: Caller,
  request: RouteRequest,
) => Promise<Envelope | HeadedEnvelope | Formatted | Streamed<Readable>>

/** A route without authentication. It gets neither a caller nor the stores, so it cannot leak data. */
export type PublicRoute = Omit<Route, 'scope' | 'handle'> & {
  readonly scope: null
  readonly handle: () => Envelope
}

export const defineRoute = (
  interfaceName: InterfaceName,
  method: Method,
  path: string,
  scope: TokenScope,
  handle: Route['handle'],
): Route => ({ interface: interfaceName, method, path, scope, handle })

export const definePublicRoute = (
  interfaceName: InterfaceName,
  method: Method,
  path: string,
  handle: PublicRoute['handle'],
): PublicRoute => ({ interface: interfaceName, method, path, scope: null, handle })
