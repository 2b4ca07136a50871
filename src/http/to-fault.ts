import type { FastifyRequest } from 'fastify'
import { bodyTooLarge, callerLeft, Fault, type FaultCode } from '../base/fault.ts'

/** Codes Fastify gives its own refusals, as rows of our table. */
const known: Record<string, FaultCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  // Of QUERY, the one method that may not come without it.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}

/** Whatever was thrown, as a fault. What nobody foresaw is a 500 that tells the caller nothing. */
export function toFault(error: unknown, request: Pick<FastifyRequest, 'routeOptions'>): Fault {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request.routeOptions.bodyLimit)
  return coded(known[code] ?? 'UNKNOWN_ERROR', code, error)
}

/** What Node says of a caller's connection. Not for all that is thrown: connections to stores break with the same codes. */
export function brokenRequest(error: Error): Fault {
  const code = codeOf(error)
  if (/^(ECONN\w+|EPIPE|ETIMEDOUT)$/.test(code)) return callerLeft()
  if (code === 'HPE_HEADER_OVERFLOW') return coded('HEADERS_TOO_LARGE', code, error)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return coded('REQUEST_TIMEOUT', code, error)
  return coded(/^(HPE|ERR_SSL)_/.test(code) ? 'BAD_REQUEST' : 'UNKNOWN_ERROR', code, error)
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Not the error's message: libraries put the address of the request into it. */
const coded = (fault: FaultCode, code: string, cause: unknown): Fault =>
  new Fault(fault, { detail: code || 'unforeseen', cause })
