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

/** A warning that the service sends with a successful response. */
export type Warning = { readonly code: string; readonly message: string; readonly id?: string; readonly value?: string }

/**
 * Returns `data` of the response, or throws an ApiError. The caller chooses the type of `data`; it is not checked, because the
 * service guarantees its shape.
 */
export async function callService<Data>(url: string, call: ServiceCall): Promise<Data> {
  return dataOf<Data>(await sendToService(url, call))
}

/** Returns the response when its headers have arrived with a success status. Its body is not read yet. */
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
    throw new ApiError(response.status, 'NO_ENVELOPE', 'This is not a response of the service: is the address right?')
  }
}
