export type FieldDetail = {
  readonly choices?: readonly string[]
  readonly choicesTotal?: number
  readonly reason?: string
}

/** An error response of the service, or a failure of the connection to it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status, or 0 if no response arrived. */
  readonly status: number
  readonly code: string
  /**
   * Messages for each invalid field. The keys are the service's names of the fields: `time[from]`, `filters[0][filterValues]`.
   */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** The valid values of each invalid field, and the reason why its value is invalid. The keys are the same as in `fields`. */
  readonly details: Readonly<Record<string, FieldDetail>>
  readonly requestId: string | null

  constructor(
    status: number,
    code: string,
    message: string,
    {
      fields = {},
      details = {},
      requestId = null,
    }: { fields?: Record<string, string[]>; details?: Record<string, FieldDetail>; requestId?: string | null } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
    this.details = details
    this.requestId = requestId
  }
}

/** Converts any thrown value to an error that can be shown. */
export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, 'UNKNOWN_ERROR', String(error))

/** The error for a response that broke off. `status` is the status that had already arrived. */
export const brokenOff = (status: number): ApiError =>
  new ApiError(status, 'BROKEN_OFF', 'The answer broke off before its end.')

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/**
 * Returns true if the service refused the request, so that it had no effect. Without a response, or with a 5xx, the request may
 * have taken effect.
 */
export const isRefusal = ({ status }: ApiError): boolean => status >= 400 && status < 500

/** Returns one sentence with the action that the user can take after this error. */
export function adviceFor({ status, code, requestId }: ApiError): string {
  switch (code) {
    case 'VALIDATION_FAIL':
      return 'Change the fields named below; the request is sent again as you do.'
    case 'QUERY_TOO_LARGE':
      return 'Shorten the range, remove a split or add a filter.'
    case 'ACCESS_DENIED':
      return 'The token is wrong, expired or lacks the scope. Sign out and sign in with another one, or ask your operator.'
    case 'NOT_FOUND':
      return 'It does not exist, or your organisation may not see it.'
    case 'CONFLICT':
      return 'The same change is still being made. Wait a moment and send it again.'
    case 'CURSOR_EXPIRED':
      return 'The answer has changed in the meantime. Ask again.'
    case 'TOO_MANY_REQUESTS':
      return 'Wait a little, then try again.'
    case 'NO_ANSWER':
      return 'Check your connection and the address the console was pointed at when you signed in.'
    case 'BROKEN_OFF':
      return 'What has arrived is not the whole answer. Do not use it; ask again.'
  }
  const named = requestId === null ? '' : ` Tell your operator the request id ${requestId} if this continues.`
  return status >= 500 ? `Try again in a moment.${named}` : `The service refused the request.${named}`
}
