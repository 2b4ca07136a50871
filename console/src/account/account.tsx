import type { Way } from '../api/people.ts'
import { personOf, type Session } from '../api/session.ts'
import { Empty } from '../parts/notice.tsx'
import { PasswordForm } from './password-form.tsx'

/** The page with the account of the signed-in person. */
export function Account({ session }: { session: Session }) {
  const person = personOf(session)
  if (person === null)
    return <Empty title="You signed in with a token.">An account belongs to a person with a name.</Empty>
  return (
    <div className="page">
      <h1>Account</h1>
      <p>
        {person.name}, {person.role} of {person.organisation.name}. This session ends automatically at{' '}
        {new Date(person.expires_at).toLocaleString('en-GB')} at the latest.
      </p>
      {person.has_password ? <PasswordForm name={person.name} /> : <SignsInElsewhere provider={person.provider} />}
    </div>
  )
}

/** Shown to a person who signs in through OpenID and so has no password to change here. */
const SignsInElsewhere = ({ provider }: { provider: Way | null }) => (
  <p>
    You sign in with {provider?.title ?? 'the sign-in of your organisation'} and have no password here: change it there.
    Signing out here does not sign you out there.
  </p>
)
