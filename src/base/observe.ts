import type { Caller } from './caller.ts'

/** What happened, said once where it happened. Logs, figures and the audit trail each decide what to make of it. */
export type Observation =
  | {
      kind: 'request-finished'
      requestId: string
      /** Where requests are traced. */
      traceId?: string
      interface: string
      method: string
      /** The route's pattern, never the address: addresses hold MAC addresses and unit numbers. */
      route: string
      status: number
      milliseconds: number
      caller?: Caller
      /** Why a streamed answer ended early. The caller saw the connection break, not an end. */
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
  /** A query of a caller, at its end: what it has cost and given. */
  | { kind: 'query-finished'; endpoint: string; engineMs: number; rows: number; bytes: number }
  /** With the test and the panel, where it was about their sums. */
  | { kind: 'store-error'; store: string; error: unknown; test?: string; panel?: number }
  | { kind: 'dictionaries-reloaded'; group: 'small' | 'large'; events: number; agents: number; milliseconds: number }
  /** So many nodes had failed to load some of these groups. */
  | { kind: 'dictionaries-mended'; nodes: number; groups: readonly string[] }
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
  /** One attempt; whether there will be another is the table's to say. */
  | { kind: 'export-failed'; organisationId: number; exportId: string; attempt: number; error: unknown }
  | { kind: 'rollup-built'; test: string; panel: number; days: number; milliseconds: number }
  | { kind: 'service-started'; listeners: Record<string, string> }
  | { kind: 'service-stopping'; reason: string }
  | { kind: 'certificate-reloaded' }
  | { kind: 'certificate-refused'; error: unknown }

export type Observe = (observation: Observation) => void
