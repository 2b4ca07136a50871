import { useEffect, useState } from 'react'
import { asApiError } from './api/api-error.ts'
import { forgetPerson, readPerson, signOut as endSession } from './api/people.ts'
import { forgetSession, keepSession, readKeptSession, type Session } from './api/session.ts'
import { forgetSessionToken, signedOutEvent } from './api/session-token.ts'
import { readBases } from './api/settings.ts'
import { clearFailedSignIn, failedSignInNote } from './sign-in/failed-sign-in.ts'

export type SessionState = {
  /** Undefined while it is unknown whether the browser has a person's session. */
  readonly session: Session | null | undefined
  /** Explains why the session has ended. */
  readonly note: string
  readonly signIn: (session: Session) => void
  readonly signOut: () => void
}

const notSignedOut = 'The service did not answer: you are still signed in. Try again, or close the browser.'

export function useSession(): SessionState {
  const [session, setSession] = useState<Session | null | undefined>(() => readKeptSession() ?? undefined)
  const [note, setNote] = useState(failedSignInNote)
  const close = (said: string) => {
    forgetSession()
    forgetSessionToken()
    forgetPerson()
    setNote(said)
    setSession(null)
  }
  useEffect(clearFailedSignIn, [])
  useEffect(() => {
    if (session !== undefined) return
    Promise.all([readBases(), readPerson()])
      .then(([bases, person]) => setSession({ ...bases, by: { kind: 'person', person } }))
      .catch(() => setSession(null))
  }, [session])
  useEffect(() => {
    const onSignedOut = () => close('Your session has ended. Sign in again to continue where you were.')
    addEventListener(signedOutEvent, onSignedOut)
    return () => removeEventListener(signedOutEvent, onSignedOut)
  }, [])
  return {
    session,
    note,
    signIn: (opened) => {
      keepSession(opened)
      setNote('')
      setSession(opened)
    },
    signOut: () => {
      if (session?.by.kind !== 'person') return close('')
      endSession()
        .then(() => close(''))
        .catch(async (fault: unknown) => {
          if (asApiError(fault).code !== 'ACCESS_DENIED') return setNote(notSignedOut)
          // Either the session had already ended, or another person has signed in in another tab.
          close('')
          const { name } = await readPerson()
          setNote(`${name} is signed in in this browser now, not you. Sign out once more to end that session too.`)
          setSession(undefined)
        })
        .catch(() => {})
    },
  }
}
