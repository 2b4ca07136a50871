import { ApiError } from './api-error.ts'
import { askOwn } from './people.ts'

type Renewed = { readonly token: string; readonly expires_at: string }

/** The token is stored only in memory. Each tab requests its own token, and requests a new one after a reload. */
let held: Promise<Renewed> | null = null

/** The token is renewed this long before it expires, but only when a request needs it. So an idle page lets its session end. */
const spareMs = 5 * 60_000

export const signedOutEvent = 'broadgauge:signed-out'

/** Returns the token of the person's session, which is valid for both interfaces. */
export async function sessionToken(): Promise<string> {
  held ??= renew()
  const { expires_at: expiresAt } = await held
  if (Date.parse(expiresAt) - Date.now() < spareMs) held = renew()
  return (await held).token
}

/** Called after a refused request. If the session has ended, the renewal fails and the page shows the sign-in again. */
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
