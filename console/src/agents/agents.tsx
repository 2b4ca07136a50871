import { useState } from 'react'
import type { AgentField } from '../api/metadata.ts'
import type { Session } from '../api/session.ts'
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx'
import { changeState } from '../place.ts'
import { ChangeForm } from './change-form.tsx'
import { agentFieldOf, agentFields, LookUp } from './look-up.tsx'
import { Timeline } from './timeline.tsx'
import { useAgentHistory } from './use-agent-history.ts'

const lookUp = (field: AgentField, value: string): void => changeState('agents', new URLSearchParams({ field, value }))

/** Shows the metadata of one agent over time, and a form that changes the metadata of this agent or of many agents. */
export function Agents({ session, state }: { session: Session; state: URLSearchParams }) {
  const field = agentFieldOf(state.get('field'))
  const value = state.get('value') ?? ''
  const [version, setVersion] = useState(0)
  const { spans, error } = useAgentHistory(session, field, value, version)
  return (
    <div className="page">
      <h1>Agents</h1>
      <LookUp key={`${field} ${value}`} session={session} field={field} value={value} onLookUp={lookUp} />
      {error !== null && <ErrorNotice error={error} />}
      {value === '' && (
        <Empty title="No agent chosen.">
          Look one up to see its metadata over time. Punctuation and case do not matter.
        </Empty>
      )}
      {value !== '' && error === null && spans === null && <Loading what="the agent" />}
      {spans !== null && (
        <>
          <h2>
            {agentFields[field]} {value}
          </h2>
          <Timeline spans={spans} />
        </>
      )}
      <ChangeForm
        key={`change ${field} ${value}`}
        session={session}
        found={spans === null ? null : { field, value }}
        onChanged={() => setVersion((before) => before + 1)}
      />
    </div>
  )
}
