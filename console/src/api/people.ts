import { callService } from './call-service.ts'

export type Person = {
  readonly name: string
  readonly role: 'administrator' | 'analyst'
  readonly organisation: { readonly key: string; readonly name: string }
  readonly has_password: boolean
  /** The sign-in of the organisation they come by. */
  readonly provider: Way | null
  readonly expires_at: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Of the service that gave us this page, by its cookie. Pages of other sites cannot send the header. */
export const askOwn = <Data>(method: Method, path: string, body?: unknown): Promise<Data> =>
  callService<Data>(`api${path}`, {
    method,
    headers: { 'x-broadgauge-console': '1' },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body }),
  })

export const readPerson = (): Promise<Person> => askOwn('GET', '/session')

export type Way = { readonly key: string; readonly title: string }

export const findWays = (): Promise<Way[]> => askOwn('GET', '/sign-in')

export const signInByName = (name: string, password: string): Promise<Person> =>
  askOwn('POST', '/session', { name, password })

export const signOut = (): Promise<unknown> => askOwn('DELETE', '/session')

export const changePassword = (current: string, next: string): Promise<unknown> =>
  askOwn('PUT', '/password', { current, new: next })
