import { useEffect, useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { findTokens, tokensListedMax, type OwnToken } from '../api/own-tokens.ts'
import { personOf, type Session } from '../api/session.ts'
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx'
import { CreateToken } from './create-token.tsx'
import { TokenTable } from './token-table.tsx'

/** The page with the organisation's API tokens, which programs use. */
export function Tokens({ session }: { session: Session }) {
  if (personOf(session)?.role !== 'administrator') {
    return (
      <Empty title="Tokens are managed by administrators.">
        Sign in by the name of an administrator of your organisation; your operator makes one with “broadgauge user
        create --role administrator”.
      </Empty>
    )
  }
  return <TokenList />
}

function TokenList() {
  const [tokens, setTokens] = useState<readonly OwnToken[] | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [version, setVersion] = useState(0)
  useEffect(() => {
    let isCurrent = true
    const ask = async () => {
      try {
        const found = await findTokens()
        if (isCurrent) setTokens(found)
        if (isCurrent) setError(null)
      } catch (fault) {
        if (isCurrent) setError(asApiError(fault))
      }
    }
    void ask()
    return () => {
      isCurrent = false
    }
  }, [version])
  const refresh = () => setVersion((before) => before + 1)
  return (
    <div className="page">
      <h1>Tokens</h1>
      <CreateToken refreshList={refresh} />
      {error !== null && (
        <ErrorNotice error={error}>
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </ErrorNotice>
      )}
      {tokens === null && error === null && <Loading what="the tokens" />}
      {tokens?.length === 0 && (
        <Empty title="There is no token yet.">Make one above for each program that calls the service.</Empty>
      )}
      {tokens !== null && tokens.length >= tokensListedMax && (
        <p className="notice quiet" role="status">
          {tokensListedMax.toLocaleString('en')} tokens are listed, and there may be more. Valid ones come first, then
          the others, the newest of each first.
        </p>
      )}
      {tokens !== null && tokens.length > 0 && <TokenTable tokens={tokens} onRevoked={refresh} />}
    </div>
  )
}
