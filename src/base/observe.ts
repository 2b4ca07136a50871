import type { Caller } from './caller.ts'

/** An event. The code that causes the event emits it; logs, metrics and the audit trail subscribe. */
export type Observation =
  | {
      kind: 'request-finished'
      requestId: string
      /** Present when requests are traced. */
      traceId?: string
      interface: string
      method: string
      /** The pattern of the route, never the URL: URLs contain MAC addresses and unit numbers. */
      route: string
      status: number
      milliseconds: number
      caller?: Caller
      /** Why a streamed response ended early; the caller saw a broken connection. Absent if the response is complete. */
      cut?: 'caller-left' | 'caller-stalled' | 'engine-failed' | 'service-stopped'
    }
  | {
      kind: 'request-failed'
      requestId: string
      traceId?: string
      route: string
      code: string
      detail?: string
      error?: unknown
    }
  /** A caller's query has ended. */
  | { kind: 'query-finished'; endpoint: string; engineMs: number; rows: number; bytes: number }
  /** A request to a store has failed. `test` and `panel` are set if the error concerns a rollup of this test and panel. */
  | { kind: 'store-error'; store: string; error: unknown; test?: string; panel?: number }
  | { kind: 'dictionaries-reloaded'; group: 'small' | 'large'; events: number; agents: number; milliseconds: number }
  /** Nodes that had failed to load dictionaries have now loaded them. `nodes` is the number of these nodes. */
  | { kind: 'dictionaries-repaired'; nodes: number; groups: readonly string[] }
  | {
      kind: 'batch-stored'
      organisationId: number
      test: string
      accepted: number
      duplicates: number
      rejected: number
      milliseconds: number
    }
  | {
      kind: 'export-written'
      organisationId: number
      exportId: string
      attempt: number
      rows: number
      bytes: number
      milliseconds: number
    }
  /** One attempt to write an export has failed. The row in PostgreSQL says whether another attempt follows. */
  | { kind: 'export-failed'; organisationId: number; exportId: string; attempt: number; error: unknown }
  | { kind: 'rollup-built'; test: string; panel: number; days: number; milliseconds: number }
  | { kind: 'service-started'; listeners: Record<string, string> }
  | { kind: 'service-stopping'; reason: string }
  | { kind: 'certificate-reloaded' }
  | { kind: 'certificate-refused'; error: unknown }

export type Observe = (observation: Observation) => void
