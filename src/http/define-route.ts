import type { Caller, TokenScope } from '../base/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Stores } from '../engine/stores.ts'
import type { Envelope } from '../envelope/envelope.ts'

/** Which of the service's interfaces a route belongs to: decides its base URL and how a token is sent. */
export type InterfaceName = 'data' | 'metadata' | 'ingest'

export type RouteContext = { readonly catalog: Catalog; readonly stores: Stores }

type RouteRequest = {
  readonly body: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, string>>
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Route = {
  readonly interface: InterfaceName
  readonly method: Method
  readonly path: string
  /** The scope a token needs. */
  readonly scope: TokenScope
  readonly handle: (context: RouteContext, caller: Caller, request: RouteRequest) => Promise<Envelope>
}

/** A route anybody may call. It gets neither a caller nor the stores, so there is nothing it could show. */
export type PublicRoute = Omit<Route, 'scope' | 'handle'> & { readonly scope: null; readonly handle: () => Envelope }

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
