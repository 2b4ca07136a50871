import { useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { readHistory, type AgentField, type Span } from '../api/metadata.ts'
import type { Session } from '../api/session.ts'

export type AgentHistory = { readonly spans: readonly Span[] | null; readonly error: ApiError | null }

/** `version` goes up when something has been changed. An empty value asks nothing. */
export function useAgentHistory(session: Session, field: AgentField, value: string, version: number): AgentHistory {
  const [history, setHistory] = useState<AgentHistory>({ spans: null, error: null })
  useEffect(() => {
    let isCurrent = true
    if (value === '') {
      setHistory({ spans: null, error: null })
      return undefined
    }
    readHistory(session, field, value).then(
      (spans) => isCurrent && setHistory({ spans, error: null }),
      (error: unknown) => {
        const fault = error instanceof ApiError ? error : new ApiError(0, 'UNKNOWN_ERROR', String(error))
        if (isCurrent) setHistory({ spans: null, error: fault })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [session, field, value, version])
  return history
}
