import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'

/** What a provider sends a browser back with when the fault is its own. */
const ownFaults = new Set(['temporarily_unavailable', 'server_error'])

/** Not reached, too slow, or at fault itself; nothing the person has done, and worth another try later. */
export function isProviderAway(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return ownFaults.has(error.error)
  if (error instanceof ResponseBodyError) return error.status >= 500
  if (error instanceof ClientError)
    return error.code === 'OAUTH_TIMEOUT' || (error.cause instanceof Response && error.cause.status >= 500)
  // `fetch` fails with one that has the connection's error as its cause; mistakes of ours have none.
  return error instanceof TypeError && error.cause !== undefined
}
