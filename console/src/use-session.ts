import { useEffect, useState } from 'react'
import { asApiError } from './api/api-error.ts'
import { forgetPerson, readPerson, signOut as endSession } from './api/people.ts'
import { forgetSession, keepSession, readKeptSession, type Session } from './api/session.ts'
import { forgetSessionToken, signedOutEvent } from './api/session-token.ts'
import { readBases } from './api/settings.ts'
import { forgetTurnedBack, turnedBackNote } from './sign-in/turned-back.ts'

export type SessionState = {
  /** Undefined: not known yet whether the browser has a session of a person. */
  readonly session: Session | null | undefined
  /** Why there is none any more. */
  readonly note: string
  readonly signIn: (session: Session) => void
  readonly signOut: () => void
}

const notSignedOut = 'The service did not answer: you are still signed in. Try again, or close the browser.'

export function useSession(): SessionState {
  const [session, setSession] = useState<Session | null | undefined>(() => readKeptSession() ?? undefined)
  const [note, setNote] = useState(turnedBackNote)
  const close = (said: string) => {
    forgetSession()
    forgetSessionToken()
    forgetPerson()
    setNote(said)
    setSession(null)
  }
  useEffect(forgetTurnedBack, [])
  useEffect(() => {
    if (session !== undefined) return
    Promise.all([readBases(), readPerson()])
      .then(([bases, person]) => setSession({ ...bases, by: { kind: 'person', person } }))
      .catch(() => setSession(null))
  }, [session])
  useEffect(() => {
    const onSignedOut = () => close('Your session has ended. Sign in again to go on where you were.')
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
          // The session had ended already, which is what was wanted; or somebody else has signed in beside this page.
          close('')
          const { name } = await readPerson()
          setNote(`${name} is signed in in this browser now, not you. Sign out once more to end that session too.`)
          setSession(undefined)
        })
        .catch(() => {})
    },
  }
}
