import type { ValidationFailure } from './generated/types.ts'

/** An answer that is a failure: `code` and `errors` as the service's documentation lists them. */
export class BroadgaugeError extends Error {
  override readonly name = 'BroadgaugeError'
  readonly status: number
  readonly code: string
  /** Path of a field → what is wrong with it; only for requests with faults. */
  readonly errors: Readonly<Record<string, readonly string[]>> | undefined
  /** Path of a field → its valid values and why the value is none, where the service tells. */
  readonly details: Readonly<Record<string, FieldDetail>>
  /** For the operator: finds the request in the log. */
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

/** The answer ended before it was whole. Nothing that came of it can be taken for everything. */
export class IncompleteAnswerError extends Error {
  override readonly name = 'IncompleteAnswerError'
}

/** An export that the service could not write. */
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

/** A proxy in front of the service may answer something else than the envelope. */
function failureOf(text: string, status: number): FailureBody {
  try {
    const body: unknown = JSON.parse(text)
    if (isFailure(body)) return body
  } catch {
    // Told below.
  }
  return { code: 'UNKNOWN', message: `The answer has the status ${status} and is not the service's own.` }
}

const isFailure = (body: unknown): body is FailureBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body
