import { Fault } from '../base/fault.ts'

/** Codes Fastify and Node give their own refusals, as rows of our table. */
const known: Record<string, ConstructorParameters<typeof Fault>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['BAD_REQUEST'],
  // Of QUERY, the one method that may not come without it.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['UNSUPPORTED_MEDIA_TYPE'],
  FST_ERR_BAD_URL: ['NOT_FOUND'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND'],
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT'],
}

/** Whatever was thrown, as a fault. What nobody foresaw is a 500 that tells the caller nothing. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const row = known[code] ?? [/^(HPE|ERR_SSL)_/.test(code) ? 'BAD_REQUEST' : 'UNKNOWN_ERROR']
  // Not the message: libraries put the address of the request into it.
  return new Fault(row[0], { ...row[1], detail: code || 'unforeseen', cause: error })
}
