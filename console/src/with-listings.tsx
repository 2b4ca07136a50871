import { useEffect, useState, type ReactNode } from 'react'
import { ApiError } from './api/api-error.ts'
import { readListings, type Listings } from './api/listings.ts'
import type { Session } from './api/session.ts'
import { ErrorNotice, Loading } from './parts/notice.tsx'

type Props = { session: Session; onSignOut: () => void; children: (listings: Listings) => ReactNode }

/** Loads what the token has access to before it shows any page. */
export function WithListings({ session, onSignOut, children }: Props) {
  const [listings, setListings] = useState<Listings | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let isCurrent = true
    setError(null)
    readListings(session)
      .then((found) => isCurrent && setListings(found))
      .catch((fault: unknown) => {
        if (isCurrent) setError(fault instanceof ApiError ? fault : new ApiError(0, 'UNKNOWN_ERROR', String(fault)))
      })
    return () => {
      isCurrent = false
    }
  }, [session, attempt])
  if (error !== null) {
    return (
      <ErrorNotice error={error}>
        <button type="button" onClick={() => setAttempt(attempt + 1)}>
          Try again
        </button>
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      </ErrorNotice>
    )
  }
  return listings === null ? <Loading what="what you have access to" /> : children(listings)
}
