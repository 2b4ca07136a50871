export type FieldDetail = {
  readonly choices?: readonly string[]
  readonly choicesTotal?: number
  readonly reason?: string
}

/** What the service, or the way to it, answered instead of data. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0: there was no answer. */
  readonly status: number
  readonly code: string
  /** By field, as the service names them: `time[from]`, `filters[0][filterValues]`. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** By the same names: the valid values, and why the value is none. */
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

/** Whatever was thrown, as something to show. */
export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, 'UNKNOWN_ERROR', String(error))

/** The head of an answer had come, with this status. */
export const brokenOff = (status: number): ApiError =>
  new ApiError(status, 'BROKEN_OFF', 'The answer broke off before its end.')

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** The service said no, so nothing was done. Without an answer, or with one that it could not go on, it may have been. */
export const isRefusal = ({ status }: ApiError): boolean => status >= 400 && status < 500

/** What the reader can do about it, in a sentence. */
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
    case 'TOO_MANY_REQUESTS':
      return 'Wait a little, then try again.'
    case 'NO_ANSWER':
      return 'Check your connection and the address the console was pointed at when you signed in.'
    case 'BROKEN_OFF':
      return 'What has arrived is not the whole answer. Do not use it; ask again.'
  }
  const named = requestId === null ? '' : ` Tell your operator the request id ${requestId} if it stays so.`
  return status >= 500 ? `Try again in a moment.${named}` : `The service refused the request.${named}`
}
