import { callService } from './call-service.ts'

export type Person = {
  readonly name: string
  readonly role: 'administrator' | 'analyst' | 'viewer'
  readonly organisation: { readonly key: string; readonly name: string }
  readonly has_password: boolean
  /** The identity provider through which this person signs in. Null if the person signs in with a password. */
  readonly provider: Way | null
  readonly expires_at: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * The person that this page shows. All tabs share the cookie, so the cookie can belong to another person who has signed in in
 * another tab.
 */
let shown: Person | null = null

const show = (person: Person): Person => (shown = person)

export const forgetPerson = (): void => void (shown = null)

const shownHeader = (): Readonly<Record<string, string>> =>
  shown === null ? {} : { 'x-broadgauge-person': encodeURIComponent(`${shown.organisation.key}/${shown.name}`) }

/**
 * Calls the service that served this page, with the session cookie. Pages of other sites cannot send the header
 * `x-broadgauge-console`.
 */
export const askOwn = <Data>(method: Method, path: string, body?: unknown): Promise<Data> =>
  callService<Data>(`api${path}`, {
    method,
    headers: { 'x-broadgauge-console': '1', ...shownHeader() },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body }),
  })

export const readPerson = (): Promise<Person> => askOwn<Person>('GET', '/session').then(show)

export type Way = { readonly key: string; readonly title: string }

export const findWays = (): Promise<Way[]> => askOwn('GET', '/sign-in')

export const signInByName = (name: string, password: string): Promise<Person> =>
  askOwn<Person>('POST', '/session', { name, password }).then(show)

export const signOut = (): Promise<unknown> => askOwn('DELETE', '/session')

export const changePassword = (current: string, next: string): Promise<unknown> =>
  askOwn('PUT', '/password', { current, new: next })
