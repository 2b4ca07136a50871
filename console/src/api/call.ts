import { ApiError } from './api-error.ts'
import { dataOf, sendToService } from './call-service.ts'
import type { Session } from './session.ts'
import { checkSession, sessionToken } from './session-token.ts'

export type Call = {
  /** `console`: what the console needs beyond the other two. */
  readonly interface: 'data' | 'metadata' | 'console'
  /** Which token `console` takes, where there are two; that for data unless said. */
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

/** With the token of the session. No cookie goes along: data are for tokens. */
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
