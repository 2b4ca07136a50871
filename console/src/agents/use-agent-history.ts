import { useEffect, useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { readHistory, type AgentField, type Span } from '../api/metadata.ts'
import type { Session } from '../api/session.ts'

export type AgentHistory = { readonly spans: readonly Span[] | null; readonly error: ApiError | null }

type Answered = AgentHistory & { readonly field: AgentField; readonly value: string }

const unanswered: AgentHistory = { spans: null, error: null }

/**
 * `version` goes up when something has been changed; what was true before stays until the new answer is there. Of another
 * agent nothing stays: it would pass for this one's. An empty value asks nothing.
 */
export function useAgentHistory(session: Session, field: AgentField, value: string, version: number): AgentHistory {
  const [answered, setAnswered] = useState<Answered | null>(null)
  useEffect(() => {
    let isCurrent = true
    if (value === '') {
      setAnswered(null)
      return undefined
    }
    readHistory(session, field, value).then(
      (spans) => isCurrent && setAnswered({ field, value, spans, error: null }),
      (error: unknown) => isCurrent && setAnswered({ field, value, spans: null, error: asApiError(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [session, field, value, version])
  return answered?.field === field && answered.value === value ? answered : unanswered
}
