import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import type { Session } from '../api/session.ts'

/** Tries the tokens that were given, so that a wrong one is noticed here and not three pages later. */
export async function checkTokens(session: Session, hasOwnMetadataToken: boolean): Promise<void> {
  await call(session, { interface: 'data', method: 'GET', path: '/tests' })
  if (!hasOwnMetadataToken) return
  try {
    await call(session, { interface: 'metadata', method: 'GET', path: '/metadata/agent/none' })
  } catch (error) {
    // Any token with the scope is told that there is no such agent.
    if (error instanceof ApiError && error.status === 404) return
    if (error instanceof ApiError && error.status === 403) {
      throw new ApiError(403, error.code, 'The token for metadata was refused. The one for data is right.')
    }
    throw error
  }
}
