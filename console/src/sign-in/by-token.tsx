import { useState, type FormEvent } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import type { Session } from '../api/session.ts'
import type { Bases } from '../api/settings.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { checkTokens } from './check-tokens.ts'
import { OtherAddress } from './other-address.tsx'

type Props = { bases: Bases; onBases: (bases: Bases) => void; onSignIn: (session: Session) => void }

/** Sign-in with a pasted token. The token is tried before it is stored. */
export function ByToken({ bases, onBases, onSignIn }: Props) {
  const [dataToken, setDataToken] = useState('')
  const [metadataToken, setMetadataToken] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const [isTrying, setIsTrying] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const data = dataToken.trim()
    const session: Session = { ...bases, by: { kind: 'tokens', data, metadata: metadataToken.trim() || data } }
    setIsTrying(true)
    checkTokens(session, metadataToken.trim() !== '')
      .then(() => onSignIn(session))
      .catch((fault: unknown) => {
        setError(asApiError(fault))
        setIsTrying(false)
      })
  }
  return (
    <form onSubmit={submit} autoComplete="off">
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
      <OtherAddress bases={bases} onChange={onBases} />
      <p className="row">
        <button type="submit" className="primary" disabled={isTrying}>
          {isTrying ? 'Trying the token …' : 'Sign in'}
        </button>
      </p>
      <p className="hint">
        Tokens stay in this tab and are forgotten when you close it. Administrators of your organisation make them on
        the page Tokens, your operator with “broadgauge token create”.
      </p>
    </form>
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
