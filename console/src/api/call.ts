import { ApiError } from './api-error.ts'
import { dataOf, sendToService } from './call-service.ts'
import type { Session } from './session.ts'
import { checkSession, sessionToken } from './session-token.ts'

export type Call = {
  /** The interface to call. `console` has the routes that only the console needs. */
  readonly interface: 'data' | 'metadata' | 'console'
  /** Which of two tokens to use on the interface `console`. The default is the token for data. */
  readonly token?: 'metadata'
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export async function call<Data>(session: Session, request: Call): Promise<Data> {
  return dataOf<Data>(await send(session, request))
}

/** Sends a request with the session's token. It sends no cookie: the data interface accepts only tokens. */
export async function send(session: Session, { path, headers, token: which, ...request }: Call): Promise<Response> {
  const token = await tokenFor(session, which ?? request.interface)
  const base = (request.interface === 'metadata' ? session.metadataBaseUrl : session.dataBaseUrl).replace(/\/$/, '')
  const prefix = request.interface === 'console' ? '/console/api' : ''
  const authorization = request.interface === 'data' ? token : `Bearer ${token}`
  try {
    return await sendToService(`${base}${prefix}${path}`, {
      ...request,
      headers: { authorization, ...headers },
      credentials: 'omit',
    })
  } catch (error) {
    if (session.by.kind === 'person' && error instanceof ApiError && error.status === 403) await checkSession()
    throw error
  }
}

const tokenFor = async ({ by }: Session, interfaceName: Call['interface']): Promise<string> => {
  if (by.kind === 'person') return sessionToken()
  return interfaceName === 'metadata' ? by.metadata : by.data
}
