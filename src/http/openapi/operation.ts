import type { FaultCode } from '../../base/fault.ts'
import type { Route } from '../define-route.ts'
import type { Schema } from './schema.ts'

/** What the document says of one route beyond what the route itself knows. */
export type Operation = {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Schema[]
  readonly body?: { readonly schema: Schema; readonly examples: Readonly<Record<string, unknown>> }
  /** Bodies that are no JSON: media types and what they hold. */
  readonly rows?: Readonly<Record<string, string>>
  /** Of `data`; null when an answer has none. */
  readonly data: Schema | null
  /** Whether `warnings` may stand beside `data`. */
  readonly warns?: boolean
  /** Of a success, beside those every answer has. */
  readonly headers?: Schema
  /** Beside those every route can answer. */
  readonly faults: readonly FaultCode[]
  /** Success sends the browser elsewhere. */
  readonly redirects?: boolean
  /** There is no success to describe. */
  readonly failsAlways?: boolean
}

/** What the document takes from a route itself. */
export type DocumentedRoute = Pick<Route, 'method' | 'path'> & {
  readonly tag: string
  readonly server: Schema
  /** How a caller shows who it is; null: anybody may call. */
  readonly security: Schema | null
  /** The same in words; empty: nothing to say. */
  readonly needs: string
  /** Whether answers say what is left of the token's share of requests. */
  readonly isCounted?: boolean
}

/** By method and path, as the routes name themselves. */
export type Operations = Readonly<Record<string, Operation>>

export const bodyFaults = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_FAIL'] as const

export const idempotencyKey = (description: string): Schema => ({
  name: 'Idempotency-Key',
  in: 'header',
  description,
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
})

export const query = (name: string, description: string, schema: Schema): Schema => ({
  name,
  in: 'query',
  description,
  schema,
})
