import { Account } from './account/account.tsx'
import type { Session } from './api/session.ts'
import { Agents } from './agents/agents.tsx'
import type { Listings } from './api/listings.ts'
import { Downloads } from './downloads/downloads.tsx'
import { Explore } from './explore/explore.tsx'
import { Header } from './header.tsx'
import { CrashGuard } from './parts/crash-guard.tsx'
import { Loading } from './parts/notice.tsx'
import { usePlace, type Place } from './place.ts'
import { SignIn } from './sign-in/sign-in.tsx'
import { TestData } from './test-data/test-data.tsx'
import { Tokens } from './tokens/tokens.tsx'
import { useSession } from './use-session.ts'
import { WithListings } from './with-listings.tsx'

export function App() {
  const { session, note, signIn, signOut } = useSession()
  const place = usePlace()
  if (session === undefined) return <Loading what="the console" />
  if (session === null) return <SignIn note={note} onSignIn={signIn} />
  return (
    <>
      <Header session={session} page={place.page} onSignOut={signOut} />
      <main id="content">
        {note !== '' && (
          <p className="notice error" role="alert">
            {note}
          </p>
        )}
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
    case 'tokens':
      return <Tokens session={session} />
    case 'account':
      return <Account session={session} />
    default:
      return <Explore session={session} listings={listings} state={state} />
  }
}
