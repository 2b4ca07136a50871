import { useState, type FormEvent } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { signInByName } from '../api/people.ts'
import type { Session } from '../api/session.ts'
import { readBases } from '../api/settings.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { OtherWays } from './other-ways.tsx'

type Props = { onSignIn: (session: Session) => void }

export function ByName({ onSignIn }: Props) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const [isTrying, setIsTrying] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTrying(true)
    // A session is valid only for the service that served this page. Other addresses require tokens.
    Promise.all([signInByName(name.trim(), password), readBases()])
      .then(([person, own]) => onSignIn({ ...own, by: { kind: 'person', person } }))
      .catch((fault: unknown) => {
        setError(asApiError(fault))
        setIsTrying(false)
      })
  }
  return (
    <form onSubmit={submit}>
      {error !== null && <ErrorNotice error={error} advice={adviceFor(error)} />}
      <label className="field">
        Name
        <input
          value={name}
          required
          autoComplete="username"
          spellCheck={false}
          autoCapitalize="none"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label className="field">
        Password
        <input
          type="password"
          value={password}
          required
          autoComplete="current-password"
          onChange={(event) => setPassword(event.target.value)}
        />
      </label>
      <p className="row">
        <button type="submit" className="primary" disabled={isTrying}>
          {isTrying ? 'Signing in …' : 'Sign in'}
        </button>
      </p>
      <OtherWays />
      <p className="hint">Your operator gives you a name and a first password with “broadgauge user create”.</p>
    </form>
  )
}

const adviceFor = ({ code }: ApiError): string | undefined =>
  code === 'ACCESS_DENIED' ? 'Try again; a forgotten password is replaced by your operator.' : undefined
