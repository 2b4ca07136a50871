/** Every error response, one row each. `docs/errors.md` lists the same rows; a test checks that the two lists are equal. */
export const faultTable = {
  BAD_REQUEST: { status: 400, message: 'The request is not valid HTTP.' },
  PASSWORD_REQUIRED: { status: 401, message: 'This link needs its password; send it with HTTP Basic.' },
  ACCESS_DENIED: { status: 403, message: 'Access Denied' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This method is not allowed here; see the Allow header.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  CONFLICT: { status: 409, message: 'A request with the same Idempotency-Key is still running.' },
  CURSOR_EXPIRED: {
    status: 409,
    message: 'The answer has changed since its first page; ask for the first page again.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be application/json, UTF-8, not compressed.' },
  VALIDATION_FAIL: { status: 422, message: 'Validation failed' },
  QUERY_TOO_LARGE: { status: 422, message: 'The query is too large; narrow its time range, splits or filters.' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests; try again after the time in Retry-After.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request line and headers are too large.' },
  UNKNOWN_ERROR: { status: 500, message: 'An unexpected error occurred. Please try again shortly.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service is temporarily unavailable; try again after the time in Retry-After.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type FaultCode = keyof typeof faultTable

/** The messages of each invalid field, in the wording of the specification: `{ 'time[from]': ['This field is missing.'] }`. */
export type FieldErrors = Record<string, string[]>

/**
 * Helps the caller to correct a field.
 *
 * - `choices`: valid values of the field.
 * - `choicesTotal`: number of valid values, if `choices` does not list all.
 * - `reason`: why the value was refused.
 */
export type FieldDetail = {
  readonly choices?: readonly string[]
  readonly choicesTotal?: number
  readonly reason?: string
}

export type FieldDetails = Record<string, FieldDetail>

export type FaultOptions = {
  /** Message in the response. The default is the message in `faultTable`. */
  message?: string
  errors?: FieldErrors
  details?: FieldDetails
  headers?: Record<string, string>
  /** For the operator's log only; it is never part of a response. */
  detail?: string
  cause?: unknown
}

/** The only error type that has a response of its own. Any other error becomes `UNKNOWN_ERROR`. */
export class Fault extends Error {
  readonly code: FaultCode
  readonly status: number
  readonly errors: FieldErrors | undefined
  readonly details: FieldDetails | undefined
  readonly headers: Record<string, string>
  readonly detail: string | undefined

  constructor(code: FaultCode, options: FaultOptions = {}) {
    super(options.message ?? faultTable[code].message, { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.status = faultTable[code].status
    this.errors = options.errors
    this.details = options.details
    this.headers = options.headers ?? {}
    this.detail = options.detail
  }
}

export const accessDenied = (detail: string): Fault => new Fault('ACCESS_DENIED', { detail })

/** Ends a request whose caller has disconnected. The caller cannot receive this error; only the log shows it. */
export const callerLeft = (): Fault => new Fault('BAD_REQUEST', { detail: 'the caller hung up' })

export const bodyTooLarge = (bytesMax: number): Fault =>
  new Fault('PAYLOAD_TOO_LARGE', { message: `The request body is too large; the limit is ${bytesMax} bytes.` })

export const validationFail = (errors: FieldErrors, details: FieldDetails = {}): Fault =>
  new Fault('VALIDATION_FAIL', { errors, ...(Object.keys(details).length === 0 ? {} : { details }) })

/** Returns true for a response with status 503. A retry of the request can succeed. */
export const isUnavailable = (error: unknown): error is Fault =>
  error instanceof Fault && error.code === 'SERVICE_UNAVAILABLE'

/**
 * A response with status 503. A store takes at least five seconds to restart, so clients that obey `Retry-After` do not retry
 * during the restart.
 */
export const unavailable = (
  detail: string,
  { retrySeconds = 5, cause }: { retrySeconds?: number; cause?: unknown } = {},
) => new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': String(retrySeconds) }, detail, cause })

export const storeUnavailable = (store: string, cause: unknown): Fault =>
  unavailable(`${store} is unavailable`, { cause })

/** The response with status 503 of an overloaded instance. */
export const instanceBusy = (detail: string): Fault => unavailable(detail, { retrySeconds: 1 })

/** Values of the `RateLimit-*` headers. */
export type RateState = { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }

export const rateHeaders = ({ limit, remaining, resetSeconds }: RateState): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
})

type Excess = {
  /** Completes the sentence "Too many …" in the message. */
  readonly what: string
  /** Text after "Try again after the time in Retry-After". */
  readonly advice?: string
  readonly limit: number
  readonly retryMs?: number
  readonly detail: string
}

/** The response with status 429. Every limit uses it. */
export function tooManyRequests({ what, advice = '', limit, retryMs = 1_000, detail }: Excess): Fault {
  const resetSeconds = Math.max(1, Math.ceil(retryMs / 1000))
  return new Fault('TOO_MANY_REQUESTS', {
    message: `Too many ${what}. Try again after the time in Retry-After${advice}.`,
    headers: { 'retry-after': String(resetSeconds), ...rateHeaders({ limit, remaining: 0, resetSeconds }) },
    detail,
  })
}

/** An error that a person can correct. Its message says what is wrong and what to do, and is shown without a stack trace. */
export class UserFacingError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = new.target.name
  }
}
