import { ApiError, brokenOff, isAbort, type FieldDetail } from './api-error.ts'

export type ServiceCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: 'omit' | 'same-origin'
  readonly body?: unknown
  readonly signal?: AbortSignal
}

type Envelope<Data> = {
  code?: string
  message?: string
  data: Data
  errors?: Record<string, string[]>
  details?: Record<string, FieldDetail>
  warnings?: readonly Warning[]
}

/** What the service says of a request although it answered it. */
export type Warning = { readonly code: string; readonly message: string; readonly id?: string; readonly value?: string }

/** `data` of the answer, or an ApiError. The shape of `data` is the service's promise; who asks names it. */
export async function callService<Data>(url: string, call: ServiceCall): Promise<Data> {
  return dataOf<Data>(await sendToService(url, call))
}

/** The answer once its head says that it is a good one; its body is still to be read. */
export async function sendToService(
  url: string,
  { method, headers, credentials, body, signal }: ServiceCall,
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      credentials,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (isAbort(error)) throw error
    throw new ApiError(0, 'NO_ANSWER', `No answer from ${new URL(url, document.baseURI).origin}.`)
  }
  if (response.ok) return response
  const {
    code = 'UNKNOWN_ERROR',
    message = `Status ${response.status}`,
    errors = {},
    details = {},
  } = await envelopeOf<null>(response)
  const requestId = response.headers.get('x-request-id')
  throw new ApiError(response.status, code, message, { fields: errors, details, requestId })
}

export const dataOf = async <Data>(response: Response): Promise<Data> => (await envelopeOf<Data>(response)).data

export async function envelopeOf<Data>(response: Response): Promise<Envelope<Data>> {
  try {
    const envelope: Envelope<Data> = await response.json()
    return envelope
  } catch (error) {
    if (isAbort(error)) throw error
    if (!(error instanceof SyntaxError)) throw brokenOff(response.status)
    throw new ApiError(response.status, 'NO_ENVELOPE', 'The answer is not one of this service: is the address right?')
  }
}
