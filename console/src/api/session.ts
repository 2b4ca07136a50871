/** Who asks, and where. It lives in the tab's session storage and ends with the tab. */
export type Session = {
  readonly dataBaseUrl: string
  readonly metadataBaseUrl: string
  readonly dataToken: string
  /** The data token again, when it has been given the scopes of both. */
  readonly metadataToken: string
}

const key = 'broadgauge.session'

export function readSession(): Session | null {
  const stored = sessionStorage.getItem(key)
  if (stored === null) return null
  const session: Session = JSON.parse(stored)
  return session
}

export const keepSession = (session: Session): void => sessionStorage.setItem(key, JSON.stringify(session))

/** Everything of the reader's, the history of downloads too. */
export const endSession = (): void => sessionStorage.clear()
