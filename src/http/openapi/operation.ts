import type { FaultCode } from '../../base/fault.ts'
import type { Route } from '../define-route.ts'
import type { Schema } from './schema.ts'

/** What the OpenAPI document says about a route and the route itself does not define. */
export type Operation = {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Schema[]
  readonly body?: { readonly schema: Schema; readonly examples: Readonly<Record<string, unknown>> }
  /** For bodies that are not JSON: a description for each media type. */
  readonly rows?: Readonly<Record<string, string>>
  /** Schema of `data`, or null if the response has no `data`. */
  readonly data: Schema | null
  /** True if only some successful responses have `data`. */
  readonly dataIsOptional?: boolean
  /** True if a response may have `warnings` beside `data`. */
  readonly warns?: boolean
  /** True if a response may have `meta` beside `data`. */
  readonly hasMeta?: boolean
  /** The schema of `meta`, if it is not that of metric data. */
  readonly meta?: Schema
  /** True if the request can choose the format of the response. */
  readonly hasFormats?: boolean
  /** For responses that are not JSON: a description for each media type. */
  readonly contents?: Readonly<Record<string, string>>
  /** Headers of a successful response, in addition to the headers of every response. */
  readonly headers?: Schema
  /** Error codes of this route, in addition to the error codes of every route. */
  readonly faults: readonly FaultCode[]
  /** True if a successful response redirects the browser. */
  readonly redirects?: boolean
  /** True if every request to the route fails. */
  readonly failsAlways?: boolean
}

/** The properties of a route that the OpenAPI document contains. */
export type DocumentedRoute = Pick<Route, 'method' | 'path'> & {
  readonly tag: string
  readonly server: Schema
  /** OpenAPI security requirements, of which one must be met. Empty if the route needs no authentication. */
  readonly security: readonly Schema[]
  /** The security requirement as text; may be empty. */
  readonly needs: string
  /** True if responses have the rate limit headers. */
  readonly isCounted?: boolean
}

/** Operations by method and path, such as `GET /metrics`. */
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
