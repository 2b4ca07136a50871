import type { Readable } from 'node:stream'
import type { Caller, Scope, TokenScope } from '../base/caller.ts'
import type { InChangeTurn } from '../base/fair-limits.ts'
import type { IngestRequest } from '../check/rows/ingest-request.ts'
import type { RollupTerms } from '../compile/rollup/rollup-terms.ts'
import type { Envelope } from '../envelope/envelope.ts'
import type { IngestReport } from '../envelope/ingest-report.ts'
import type { Streamed } from '../envelope/streamed.ts'
import type { ExportContext } from '../execute/request-export.ts'
import type { AnalyticsQuery } from './analytics-query.ts'
import type { Deadline } from './first-byte-deadline.ts'

/** Which of the service's interfaces a route belongs to: decides its base URL and how a token is sent. */
export type InterfaceName = 'data' | 'metadata' | 'ingest' | 'console'

export type RouteContext = ExportContext & {
  /** By what sums of long ranges are made. */
  readonly rollups: RollupTerms
  /** Stores the rows of a body. */
  readonly ingest: (
    scope: Scope,
    request: IngestRequest,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) => Promise<IngestReport>
  readonly inChangeTurn: InChangeTurn
  /** Wakes the job that reloads the engine's dictionaries. */
  readonly onMetadataChange: () => void
}

type RouteRequest = {
  readonly body: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly requestId: string
  readonly deadline: Deadline
  readonly admission: {
    /** Call before asking the engine for facts: the query is in the audit trail before its answer is complete. */
    readonly beginQuery: AnalyticsQuery['begin']
    /** Gives the request's slot back; call before waiting where another limit bounds how many wait. */
    readonly releaseSlot: () => void
    /** Throws if the token was revoked meanwhile. For a route that reads its body itself, which may take minutes. */
    readonly confirmCaller: () => Promise<unknown>
  }
}

/** An answer with headers of its own. */
type HeadedEnvelope = { readonly envelope: Envelope; readonly headers: Readonly<Record<string, string>> }

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Route = {
  readonly interface: InterfaceName
  readonly method: Method
  readonly path: string
  /** The scope a token needs. */
  readonly scope: TokenScope
  readonly handle: (
    context: RouteContext,
    caller: Caller,
    request: RouteRequest,
  ) => Promise<Envelope | HeadedEnvelope | Streamed<Readable>>
}

/** A route anybody may call. It gets neither a caller nor the stores, so there is nothing it could show. */
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
