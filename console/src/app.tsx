import { useState } from 'react'
import { endSession, keepSession, readSession, type Session } from './api/session.ts'
import { Agents } from './agents/agents.tsx'
import type { Listings } from './api/listings.ts'
import { Downloads } from './downloads/downloads.tsx'
import { Explore } from './explore/explore.tsx'
import { Header } from './header.tsx'
import { CrashGuard } from './parts/crash-guard.tsx'
import { usePlace, type Place } from './place.ts'
import { SignIn } from './sign-in/sign-in.tsx'
import { TestData } from './test-data/test-data.tsx'
import { WithListings } from './with-listings.tsx'

export function App() {
  const [session, setSession] = useState<Session | null>(readSession)
  const place = usePlace()
  const signOut = () => {
    endSession()
    setSession(null)
  }
  if (session === null) {
    const signIn = (opened: Session) => {
      keepSession(opened)
      setSession(opened)
    }
    return <SignIn onSignIn={signIn} />
  }
  return (
    <>
      <Header page={place.page} onSignOut={signOut} />
      <main id="content">
        <WithListings session={session} onSignOut={signOut}>
          {(listings) => (
            <CrashGuard key={place.page}>
              <Content session={session} listings={listings} place={place} />
            </CrashGuard>
          )}
        </WithListings>
      </main>
    </>
  )
}

type ContentProps = { session: Session; listings: Listings; place: Place }

function Content({ session, listings, place: { page, state } }: ContentProps) {
  switch (page) {
    case 'test-data':
      return <TestData session={session} listings={listings} state={state} />
    case 'downloads':
      return <Downloads session={session} />
    case 'agents':
      return <Agents session={session} state={state} />
    default:
      return <Explore session={session} listings={listings} state={state} />
  }
}
