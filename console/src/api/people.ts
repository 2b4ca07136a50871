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

/** Whom this page shows. Somebody else may sign in beside it, and the cookie is one for all tabs. */
let shown: Person | null = null

const show = (person: Person): Person => (shown = person)

export const forgetPerson = (): void => void (shown = null)

const shownHeader = (): Readonly<Record<string, string>> =>
  shown === null ? {} : { 'x-broadgauge-person': encodeURIComponent(`${shown.organisation.key}/${shown.name}`) }

/** Of the service that gave us this page, by its cookie. Pages of other sites cannot send the header. */
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
