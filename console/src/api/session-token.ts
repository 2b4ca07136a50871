import { ApiError } from './api-error.ts'
import { askOwn } from './people.ts'

type Renewed = { readonly token: string; readonly expires_at: string }

/** In memory only: a reload asks for it again, and so does every tab. */
let held: Promise<Renewed> | null = null

/** Renewed well before its end, and only when something is asked for: a page left alone falls asleep. */
const spareMs = 5 * 60_000

export const signedOutEvent = 'broadgauge:signed-out'

/** The token of the person's session, for both interfaces. */
export async function sessionToken(): Promise<string> {
  held ??= renew()
  const { expires_at: expiresAt } = await held
  if (Date.parse(expiresAt) - Date.now() < spareMs) held = renew()
  return (await held).token
}

/** A refusal may mean that the session has ended meanwhile; asking tells, and then the page goes back to the sign-in. */
export async function checkSession(): Promise<void> {
  held = renew()
  await held.catch(() => {})
}

export const forgetSessionToken = (): void => void (held = null)

function renew(): Promise<Renewed> {
  const renewed = askOwn<Renewed>('POST', '/session/token')
  renewed.catch((error: unknown) => {
    if (held === renewed) held = null
    if (error instanceof ApiError && error.status === 403) dispatchEvent(new Event(signedOutEvent))
  })
  return renewed
}
