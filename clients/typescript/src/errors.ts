import type { ValidationFailure } from './generated/types.ts'

/** The service responded with an error. `code` and `errors` are described in the service's documentation. */
export class BroadgaugeError extends Error {
  override readonly name = 'BroadgaugeError'
  readonly status: number
  readonly code: string
  /** For invalid requests: the error messages of each invalid field, by the field's path. */
  readonly errors: Readonly<Record<string, readonly string[]>> | undefined
  /**
   * For each invalid field, by the field's path: the valid values, and the reason why the given value is invalid. Empty if the
   * service sends no details.
   */
  readonly details: Readonly<Record<string, FieldDetail>>
  /** Id of the request. The operator can find the request in the log by this id. */
  readonly requestId: string | null

  constructor(status: number, body: FailureBody, requestId: string | null) {
    super(body.message)
    this.status = status
    this.code = body.code
    this.errors = body.errors
    this.details = body.details ?? {}
    this.requestId = requestId
  }
}

export type FieldDetail = NonNullable<ValidationFailure['details']>[string]

type FailureBody = Pick<ValidationFailure, 'message' | 'details'> & { code: string; errors?: Record<string, string[]> }

/** The response ended before it was complete. Do not treat the part that has arrived as the whole result. */
export class IncompleteAnswerError extends Error {
  override readonly name = 'IncompleteAnswerError'
}

/** The service could not write the file of an export. */
export class ExportFailedError extends Error {
  override readonly name = 'ExportFailedError'
  readonly id: string

  constructor(id: string, failure = 'ask for it again') {
    super(`The export ${id} failed: ${failure}`)
    this.id = id
  }
}

export async function toError(response: Response): Promise<BroadgaugeError> {
  const text = await response.text().catch(() => '')
  return new BroadgaugeError(response.status, failureOf(text, response.status), response.headers.get('x-request-id'))
}

/** Parses an error response. A proxy in front of the service may respond without the envelope. */
function failureOf(text: string, status: number): FailureBody {
  try {
    const body: unknown = JSON.parse(text)
    if (isFailure(body)) return body
  } catch {
    // The text is not JSON. The code below returns an error that has only the status.
  }
  return { code: 'UNKNOWN', message: `The answer has the status ${status} and is not the service's own.` }
}

const isFailure = (body: unknown): body is FailureBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body
