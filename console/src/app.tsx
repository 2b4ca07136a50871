import { useState } from 'react'
import { endSession, keepSession, readSession, type Session } from './api/session.ts'
import { Explore } from './explore/explore.tsx'
import { Header } from './header.tsx'
import { usePlace } from './place.ts'
import { SignIn } from './sign-in/sign-in.tsx'
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
          {(listings) => <Explore session={session} listings={listings} state={place.state} />}
        </WithListings>
      </main>
    </>
  )
}
