import { useState, type FormEvent } from 'react'
import { asApiError, isRefusal, type ApiError } from '../api/api-error.ts'
import { changePassword } from '../api/people.ts'
import { ErrorNotice, FieldErrors } from '../parts/notice.tsx'

export function PasswordForm({ name }: { name: string }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [said, setSaid] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const change = async () => {
    setSaid('Changing …')
    setError(null)
    try {
      await changePassword(current, next)
      setCurrent('')
      setNext('')
      setSaid('Changed.')
    } catch (fault) {
      setError(asApiError(fault))
      setSaid('')
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void change()
  }
  return (
    <form className="narrow" onSubmit={submit} aria-label="Choose another password">
      <h2>Choose another password</h2>
      {/* This field tells password managers to which user the password belongs. */}
      <input hidden readOnly autoComplete="username" value={name} />
      <PasswordField label="Current password" kind="current-password" value={current} onChange={setCurrent} />
      <FieldErrors error={error} path="current" />
      <PasswordField label="New password" kind="new-password" value={next} onChange={setNext} />
      <FieldErrors error={error} path="new" />
      <p className="hint">At least 12 characters. You are signed out everywhere else.</p>
      {error !== null && <ErrorNotice error={error} advice={adviceAfter(error)} />}
      <p className="row">
        <button type="submit" className="primary" disabled={said === 'Changing …'}>
          Change the password
        </button>
        <span role="status">{said}</span>
      </p>
    </form>
  )
}

const adviceAfter = (error: ApiError): string =>
  isRefusal(error)
    ? 'Nothing was changed.'
    : 'The password may or may not have been changed. Wait a minute, sign out, and sign in with the new one; if it is refused, the old one is still valid.'

type FieldProps = {
  label: string
  kind: 'current-password' | 'new-password'
  value: string
  onChange: (value: string) => void
}

const PasswordField = ({ label, kind, value, onChange }: FieldProps) => (
  <label className="field">
    {label}
    <input
      type="password"
      required
      autoComplete={kind}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
)
