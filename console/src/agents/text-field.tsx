import { useId } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { FieldErrors } from '../parts/notice.tsx'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  error: ApiError | null
  /** The path of the field in the service's error responses. */
  path: string
  placeholder?: string
  /** The id of a `datalist` with suggestions. */
  list?: string
}

export function TextField({ label, value, onChange, error, path, placeholder, list }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        list={list}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      <FieldErrors error={error} path={path} />
    </div>
  )
}
