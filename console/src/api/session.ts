import type { Person } from './people.ts'
import type { Bases } from './settings.ts'

/**
 * The credentials of the caller, and the base addresses. The credentials are pasted tokens, or the session of a person. The
 * token of a session is requested when it is needed.
 */
export type Session = Bases & {
  readonly by:
    | { readonly kind: 'tokens'; readonly data: string; readonly metadata: string }
    | { readonly kind: 'person'; readonly person: Person }
}

export const personOf = ({ by }: Session): Person | null => (by.kind === 'person' ? by.person : null)

const key = 'broadgauge.session'

/**
 * Reads the pasted tokens of this tab. A person's session is not stored: the browser has its cookie, which scripts cannot read.
 */
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
