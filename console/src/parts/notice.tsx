import type { ReactNode } from 'react'
import { adviceFor, type ApiError } from '../api/api-error.ts'
import type { Warning } from '../api/call-service.ts'

type ErrorNoticeProps = {
  error: ApiError
  /** Replaces the general advice, if the component has a better one. */
  advice?: string | undefined
  children?: ReactNode
}

/** Shows an error, what the user can do about it, and the invalid fields. */
export function ErrorNotice({ error, advice, children }: ErrorNoticeProps) {
  const fields = Object.entries(error.fields)
  return (
    <div className="notice error" role="alert">
      <strong>{error.message}</strong> <code>{error.code}</code>
      <p>{advice ?? adviceFor(error)}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([path, messages]) => (
            <li key={path}>
              <code>{path}</code>: {messages.join(' ')} {error.details[path]?.reason}
            </li>
          ))}
        </ul>
      )}
      {children !== undefined && <p className="row">{children}</p>}
    </div>
  )
}

/** Shows, next to a control, the service's errors about the field `path` or anything inside it. */
export function FieldErrors({ error, path, id }: { error: ApiError | null; path: string; id?: string }) {
  const messages = Object.entries(error?.fields ?? {})
    .filter(([key]) => key === path || key.startsWith(`${path}[`))
    .flatMap(([, texts]) => texts)
  if (messages.length === 0) return null
  return (
    <p className="field-error" id={id}>
      {messages.join(' ')}
    </p>
  )
}

/** Shows the warnings that the service sent with a successful response. */
export const Warnings = ({ warnings }: { warnings: readonly Warning[] }) =>
  warnings.length === 0 ? null : (
    <div className="notice quiet" role="status">
      <ul>
        {warnings.map(({ code, message, id, value }) => (
          <li key={`${code} ${id} ${value}`}>
            {id !== undefined && (
              <>
                <code>{id}</code> “{value}”:{' '}
              </>
            )}
            {message}
          </li>
        ))}
      </ul>
    </div>
  )

export const Loading = ({ what }: { what: string }) => (
  <p className="notice quiet" role="status">
    Loading {what} …
  </p>
)

export const Empty = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="notice quiet" role="status">
    <strong>{title}</strong>
    <p>{children}</p>
  </div>
)
