import type { Readable } from 'node:stream'
import type { Caller, Scope, TokenScope } from '../base/caller.ts'
import type { Clock } from '../base/clock.ts'
import type { Present } from '../base/count-present.ts'
import type { InChangeTurn } from '../base/fair-limits.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { AgentReference } from '../check/agent-reference.ts'
import type { IngestRequest } from '../check/ingest-request.ts'
import type { AgentMetadata } from '../engine/postgres/metadata-columns.ts'
import type { RollupTerms } from '../engine/rollup-terms.ts'
import type { Stores } from '../engine/stores.ts'
import type { Envelope } from '../envelope/envelope.ts'
import type { IngestReport } from '../envelope/ingest-report.ts'
import type { Streamed } from '../envelope/streamed.ts'
import type { AnalyticsQuery } from './analytics-query.ts'

/** Which of the service's interfaces a route belongs to: decides its base URL and how a token is sent. */
export type InterfaceName = 'data' | 'metadata' | 'ingest' | 'console'

export type RouteContext = {
  readonly catalog: Catalog
  readonly stores: Stores
  readonly now: Clock
  /** By what sums of long ranges are made. */
  readonly rollups: RollupTerms
  /** Stores the rows of a body. */
  readonly ingest: (
    scope: Scope,
    request: IngestRequest,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) => Promise<IngestReport>
  readonly exports: {
    /** How long a finished one is kept. */
    readonly days: number
    /** How many an organisation may have that are not written yet. */
    readonly unfinishedMax: number
    /** Requests that wait for a file. */
    readonly waiting: Present
    /** Tells whoever writes them that there is a new one. */
    readonly onCreate: () => void
  }
  readonly inChangeTurn: InChangeTurn
  /** Tells whoever keeps the engine's dictionaries that there is something new. */
  readonly onMetadataChange: () => void
}

type RouteRequest = {
  readonly body: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly requestId: string
  /** Aborted when nobody waits for the answer any more: the caller hung up, or has been told that it took too long. */
  readonly signal: AbortSignal
  /** How long it is until the caller is told that. */
  readonly leftMs: () => number
  /** To be called before the engine is asked for facts: the query is in the audit trail before its answer is complete. */
  readonly beginQuery: AnalyticsQuery['begin']
  /** Gives the request's slot back; to be called before waiting where another limit bounds how many wait. */
  readonly releaseSlot: () => void
  /** Throws when the caller may not ask any more. For a route that reads its body itself, which may take its time. */
  readonly confirmed: () => Promise<unknown>
  /** Of the agent `agent` found in the path; null when there is none the caller can see. */
  readonly metadata: AgentMetadata | null
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
  /** The agent a path names; its metadata is looked up together with the token. */
  readonly agent?: (params: Readonly<Record<string, string>>) => AgentReference | null
  readonly handle: (
    context: RouteContext,
    caller: Caller,
    request: RouteRequest,
  ) => Promise<Envelope | HeadedEnvelope | Streamed<Readable>>
}

/** A route anybody may call. It gets neither a caller nor the stores, so there is nothing it could show. */
export type PublicRoute = Omit<Route, 'scope' | 'agent' | 'handle'> & {
  readonly scope: null
  readonly handle: () => Envelope
}

/** Whether it is taken out of a token's share of requests. Deliveries are bounded by their own admission, by bytes. */
export const isCounted = (route: Route | PublicRoute): boolean => route.scope !== null && route.interface !== 'ingest'

export const defineRoute = (
  interfaceName: InterfaceName,
  method: Method,
  path: string,
  scope: TokenScope,
  handle: Route['handle'],
  options: Pick<Route, 'agent'> = {},
): Route => ({ interface: interfaceName, method, path, scope, handle, ...options })

export const definePublicRoute = (
  interfaceName: InterfaceName,
  method: Method,
  path: string,
  handle: PublicRoute['handle'],
): PublicRoute => ({ interface: interfaceName, method, path, scope: null, handle })
