import { call } from './call.ts'
import type { Session } from './session.ts'

export type Metadata = {
  readonly package: string | null
  readonly isp: string | null
  readonly timezone: string | null
  readonly custom: Readonly<Record<string, string | number>>
}

/** `from` and `to` are days in UTC, both included. Null means that the span has no start, or no end. */
export type Span = Metadata & { readonly from: string | null; readonly to: string | null }

export type AgentField = 'agent' | 'unit' | 'mac'

export const readHistory = (session: Session, field: AgentField, value: string): Promise<Span[]> =>
  call(session, {
    interface: 'metadata',
    method: 'GET',
    path: `/metadata/${field}/${encodeURIComponent(value)}/history`,
  })

export type Change = {
  readonly agent: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly backdate_from?: number
  readonly overwrite_all?: boolean
}

export type Preview = {
  readonly matched: number
  readonly sample: readonly {
    readonly agent_id: string
    readonly unit_id: number | null
    readonly before: Metadata
    readonly after: Metadata
  }[]
}

const put = { interface: 'metadata', method: 'PUT', path: '/metadata' } as const

export const previewChange = (session: Session, change: Change): Promise<Preview> =>
  call(session, { ...put, body: { ...change, dry_run: true } })

/** Applies a change. If it is sent again with the same key, the service applies it only once. */
export const makeChange = (session: Session, change: Change, key: string): Promise<unknown> =>
  call(session, { ...put, body: change, headers: { 'idempotency-key': key } })
