import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import type { Session } from '../api/session.ts'

/** Tries the tokens at sign-in, so that an invalid one is reported now and not on a later page. */
export async function checkTokens(session: Session, hasOwnMetadataToken: boolean): Promise<void> {
  await call(session, { interface: 'data', method: 'GET', path: '/tests' })
  if (!hasOwnMetadataToken) return
  try {
    await call(session, { interface: 'metadata', method: 'GET', path: '/metadata/agent/none' })
  } catch (error) {
    // No agent has this id, so a token with the right scope gets a 404.
    if (error instanceof ApiError && error.status === 404) return
    if (error instanceof ApiError && error.status === 403) {
      throw new ApiError(403, error.code, 'The token for metadata was refused. The one for data is right.')
    }
    throw error
  }
}
