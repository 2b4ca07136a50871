import { useState, type FormEvent } from 'react'
import { asApiError, isRefusal, type ApiError } from '../api/api-error.ts'
import { createToken, type TokenScope } from '../api/own-tokens.ts'
import { ErrorNotice, FieldErrors } from '../parts/notice.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { ShownOnce } from './shown-once.tsx'

const lifetimes = { 30: '30 days', 90: '90 days', 365: 'a year', 0: 'no end' } as const
const dayMs = 86_400_000

const endOf = (days: string): string | null =>
  days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()

type Made = { readonly label: string; readonly token: string }

/** The form that creates a token. By default the token can only read data, and it expires. */
export function CreateToken({ refreshList }: { refreshList: () => void }) {
  const [label, setLabel] = useState('')
  const [chosen, setChosen] = useState<readonly TokenScope[]>(['data:read'])
  const [days, setDays] = useState('90')
  const [isAsking, setIsAsking] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const make = async () => {
    setIsAsking(true)
    try {
      const { token } = await createToken({ label, scopes: chosen, expires_at: endOf(days) })
      setMade({ label, token })
      setLabel('')
      setError(null)
      refreshList()
    } catch (fault) {
      const failure = asApiError(fault)
      setError(failure)
      if (!isRefusal(failure)) refreshList()
    }
    setIsAsking(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void make()
  }
  return (
    <>
      <form className="make-token" onSubmit={submit} aria-label="Make a token">
        <label className="field">
          What it is for
          <input required maxLength={200} value={label} onChange={(event) => setLabel(event.target.value)} />
          <FieldErrors error={error} path="label" />
        </label>
        <ScopeChoice chosen={chosen} error={error} onChange={setChosen} />
        <Lifetime days={days} error={error} onChange={setDays} />
        <p className="row">
          <button type="submit" className="primary" disabled={isAsking}>
            Make a token
          </button>
        </p>
      </form>
      {error !== null && <NotMade error={error} refreshList={refreshList} />}
      {made !== null && <ShownOnce {...made} onClose={() => setMade(null)} />}
    </>
  )
}

/**
 * Shown if the page received no token. If only the response was lost, the token exists and is valid, but no user has seen it.
 */
function NotMade({ error, refreshList }: { error: ApiError; refreshList: () => void }) {
  if (isRefusal(error)) return <ErrorNotice error={error} advice="No token was made." />
  const advice =
    'The token may or may not have been made. Look for it in the list below, now and in a minute: if it is there, revoke it, because it cannot be shown again, and make another.'
  return (
    <ErrorNotice error={error} advice={advice}>
      <button type="button" onClick={refreshList}>
        Look again
      </button>
    </ErrorNotice>
  )
}

type LifetimeProps = { days: string; error: ApiError | null; onChange: (days: string) => void }

const Lifetime = ({ days, error, onChange }: LifetimeProps) => (
  <label className="field">
    It works for
    <select value={days} onChange={(event) => onChange(event.target.value)}>
      {Object.entries(lifetimes).map(([number, title]) => (
        <option key={number} value={number}>
          {title}
        </option>
      ))}
    </select>
    <FieldErrors error={error} path="expires_at" />
  </label>
)
