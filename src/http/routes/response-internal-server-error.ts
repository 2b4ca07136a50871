import { Fault } from '../../base/fault.ts'
import { definePublicRoute } from '../define-route.ts'

/** Lets a client test its error handling. According to the specification this route always fails, so it needs no token. */
export default definePublicRoute('metadata', 'GET', '/response-internal-server-error', () => {
  throw new Fault('UNKNOWN_ERROR', { detail: 'asked for by GET /response-internal-server-error' })
})
