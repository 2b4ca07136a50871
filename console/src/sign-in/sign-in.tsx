import { useEffect, useState, type FormEvent } from 'react'
import { ApiError } from '../api/api-error.ts'
import type { Session } from '../api/session.ts'
import { readBases, type Bases } from '../api/settings.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { ThemeChoice } from '../parts/theme-choice.tsx'
import { checkTokens } from './check-tokens.ts'
import { OtherAddress } from './other-address.tsx'

/** A token in, a session out. The token is tried before it is kept. */
export function SignIn({ onSignIn }: { onSignIn: (session: Session) => void }) {
  const [dataToken, setDataToken] = useState('')
  const [metadataToken, setMetadataToken] = useState('')
  const [bases, setBases] = useState<Bases>({ dataBaseUrl: location.origin, metadataBaseUrl: location.origin })
  const [error, setError] = useState<ApiError | null>(null)
  const [isTrying, setIsTrying] = useState(false)
  useEffect(() => void readBases().then(setBases), [])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const data = dataToken.trim()
    const session: Session = { ...bases, dataToken: data, metadataToken: metadataToken.trim() || data }
    setIsTrying(true)
    checkTokens(session, metadataToken.trim() !== '')
      .then(() => onSignIn(session))
      .catch((fault: unknown) => {
        setError(fault instanceof ApiError ? fault : new ApiError(0, 'UNKNOWN_ERROR', String(fault)))
        setIsTrying(false)
      })
  }
  return (
    <main className="sign-in">
      <form onSubmit={submit} autoComplete="off">
        <h1>
          <img src="./icon.svg" alt="" width="28" height="28" /> Broadgauge console
        </h1>
        <p>Look at the panel’s data, find the request your program will send, download, and keep agents’ metadata.</p>
        {error !== null && <ErrorNotice error={error} />}
        <TokenField
          label="Token for data"
          hint="Begins with bg_; it needs the scope data:read."
          value={dataToken}
          onChange={setDataToken}
          required
        />
        <TokenField
          label="Token for metadata (optional)"
          hint="Only for the page Agents, and only if the token above does not have metadata:read."
          value={metadataToken}
          onChange={setMetadataToken}
        />
        <OtherAddress bases={bases} onChange={setBases} />
        <p className="row">
          <button type="submit" className="primary" disabled={isTrying}>
            {isTrying ? 'Trying the token …' : 'Sign in'}
          </button>
          <ThemeChoice />
        </p>
        <p className="hint">
          Tokens stay in this tab and are forgotten when you close it. Your operator makes them with “broadgauge token
          create”.
        </p>
      </form>
    </main>
  )
}

type TokenFieldProps = {
  label: string
  hint: string
  value: string
  onChange: (value: string) => void
  required?: boolean
}

function TokenField({ label, hint, value, onChange, required = false }: TokenFieldProps) {
  return (
    <label className="field">
      {label}
      <input
        type="password"
        value={value}
        required={required}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      <span className="hint">{hint}</span>
    </label>
  )
}
