import { Fault } from '../../base/fault.ts'
import { definePublicRoute } from '../define-route.ts'

/** Lets a calling program try its error handling; the specification says it always fails, so it asks for no token. */
export default definePublicRoute('metadata', 'GET', '/response-internal-server-error', () => {
  throw new Fault('UNKNOWN_ERROR', { detail: 'asked for by GET /response-internal-server-error' })
})
