import { useEffect, useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { readHistory, type AgentField, type Span } from '../api/metadata.ts'
import type { Session } from '../api/session.ts'

export type AgentHistory = { readonly spans: readonly Span[] | null; readonly error: ApiError | null }

type Answered = AgentHistory & { readonly field: AgentField; readonly value: string }

const unanswered: AgentHistory = { spans: null, error: null }

/**
 * Requests the history of an agent. `version` increases with each change; the old history is shown until the new one arrives.
 * The history of another agent is removed at once, because the user could mistake it for this agent's history. If `value` is
 * empty, nothing is requested.
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
