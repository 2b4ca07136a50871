import { useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { revokeToken, type OwnToken } from '../api/own-tokens.ts'
import { ErrorNotice } from '../parts/notice.tsx'

type Props = { tokens: readonly OwnToken[]; onRevoked: () => void }

export function TokenTable({ tokens, onRevoked }: Props) {
  const [error, setError] = useState<ApiError | null>(null)
  const revoke = (id: number) => {
    setError(null)
    revokeToken(id)
      .then(onRevoked)
      .catch((fault: unknown) => setError(asApiError(fault)))
  }
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      {/* A scrolling element must be reachable with the keyboard. */}
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Tokens of the organisation">
        <table className="plain" aria-label="Tokens of the organisation">
          <thead>
            <tr>
              {['What it is for', 'Begins with', 'Scopes', 'Made', 'Ends', 'Last used', 'State'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} onRevoke={() => revoke(token.id)} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function TokenRow({ token, onRevoke }: { token: OwnToken; onRevoke: () => void }) {
  const [isAsked, setIsAsked] = useState(false)
  const [now] = useState(() => Date.now())
  const isOver = token.expires_at !== null && Date.parse(token.expires_at) <= now
  return (
    <tr>
      <th scope="row">{token.label === '' ? `Token ${token.id}` : token.label}</th>
      <td>
        <code>{token.visible_part}…</code>
      </td>
      <td>{token.scopes.join(', ')}</td>
      <td>
        {dayText(token.created_at)} by {token.created_by ?? 'the operator'}
      </td>
      <td>{dayText(token.expires_at)}</td>
      <td>{token.last_used_at === null ? 'never' : new Date(token.last_used_at).toLocaleString('en-GB')}</td>
      <td>
        {token.revoked_at !== null ? (
          `Revoked ${dayText(token.revoked_at)}`
        ) : isOver ? (
          'Over'
        ) : isAsked ? (
          <span className="row">
            <button type="button" className="danger" onClick={onRevoke}>
              Revoke it now
            </button>
            <button type="button" onClick={() => setIsAsked(false)}>
              Keep it
            </button>
          </span>
        ) : (
          <button type="button" aria-label={`Revoke ${token.label}`} onClick={() => setIsAsked(true)}>
            Revoke
          </button>
        )}
      </td>
    </tr>
  )
}

const dayText = (time: string | null): string => (time === null ? 'never' : new Date(time).toLocaleDateString('en-GB'))
