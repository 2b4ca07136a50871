import type { Person } from './people.ts'
import type { Bases } from './settings.ts'

/** Who asks, and where: by tokens that were pasted, or by the session of a person, whose token is asked for as needed. */
export type Session = Bases & {
  readonly by:
    | { readonly kind: 'tokens'; readonly data: string; readonly metadata: string }
    | { readonly kind: 'person'; readonly person: Person }
}

export const personOf = ({ by }: Session): Person | null => (by.kind === 'person' ? by.person : null)

const key = 'broadgauge.session'

/** What this tab was opened with. Nothing of a person is kept: the browser has the cookie, and we cannot read it. */
export function readKeptSession(): Session | null {
  const stored = sessionStorage.getItem(key)
  if (stored === null) return null
  const session: Session = JSON.parse(stored)
  return session
}

export function keepSession(session: Session): void {
  if (session.by.kind === 'tokens') sessionStorage.setItem(key, JSON.stringify(session))
}

export const forgetSession = (): void => sessionStorage.clear()
