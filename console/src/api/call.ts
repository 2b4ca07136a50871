import { ApiError, isAbort } from './api-error.ts'
import type { Session } from './session.ts'

export type Call = {
  readonly interface: 'data' | 'metadata'
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

type Envelope<Data> = { code?: string; message?: string; data: Data; errors?: Record<string, string[]> }

/** `data` of the answer, or an ApiError. The shape of `data` is the service's promise; who asks names it. */
export async function call<Data>(session: Session, request: Call): Promise<Data> {
  const response = await send(session, request)
  return (await envelopeOf<Data>(response)).data
}

/** The answer once its head says that it is a good one; its body is still to be read. */
export async function send(
  session: Session,
  { path, method, body, headers, signal, ...rest }: Call,
): Promise<Response> {
  const [base, authorization] =
    rest.interface === 'data'
      ? [session.dataBaseUrl, session.dataToken]
      : [session.metadataBaseUrl, `Bearer ${session.metadataToken}`]
  let response: Response
  try {
    response = await fetch(`${base.replace(/\/$/, '')}${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      credentials: 'omit',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (isAbort(error)) throw error
    throw new ApiError(0, 'NO_ANSWER', `No answer from ${base}.`)
  }
  if (response.ok) return response
  const {
    code = 'UNKNOWN_ERROR',
    message = `Status ${response.status}`,
    errors = {},
  } = await envelopeOf<null>(response)
  const requestId = response.headers.get('x-request-id')
  throw new ApiError(response.status, code, message, { fields: errors, requestId })
}

async function envelopeOf<Data>(response: Response): Promise<Envelope<Data>> {
  try {
    const envelope: Envelope<Data> = await response.json()
    return envelope
  } catch (error) {
    if (isAbort(error)) throw error
    throw new ApiError(response.status, 'NO_ENVELOPE', 'The answer is not one of this service: is the address right?')
  }
}
