import { useState, type FormEvent } from 'react'
import { agentsMax, searchAgents, type FoundAgent } from '../api/console-lists.ts'
import type { AgentField } from '../api/metadata.ts'
import type { Session } from '../api/session.ts'
import { Combobox } from '../parts/combobox.tsx'

export const agentFields: Record<AgentField, string> = { agent: 'Agent id', unit: 'Unit id', mac: 'MAC address' }

const isAgentField = (text: string): text is AgentField => text in agentFields
export const agentFieldOf = (text: string | null): AgentField => (text !== null && isAgentField(text) ? text : 'agent')

type Props = {
  session: Session
  field: AgentField
  value: string
  onLookUp: (field: AgentField, value: string) => void
}

/** Finds an agent by the first characters of any identifier, or by one complete identifier. */
export function LookUp({ session, field, value, onLookUp }: Props) {
  const [chosen, setChosen] = useState(field)
  const [text, setText] = useState(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onLookUp(chosen, text.trim())
  }
  const find = async (search: string, signal: AbortSignal) => {
    if (!/[A-Za-z0-9]/.test(search)) return []
    const found = await searchAgents(session, search, signal)
    return found.map((agent) => ({ value: agent.agent_id, label: labelOf(agent) }))
  }
  return (
    <>
      <div className="field search-agents">
        <span aria-hidden="true">Search</span>
        <Combobox
          label="Search agents by id, unit or MAC address"
          placeholder="first letters of an id or a MAC address, or a unit"
          optionsMax={agentsMax}
          find={find}
          onChoose={(agent) => onLookUp('agent', agent)}
        />
      </div>
      <form className="line" onSubmit={submit} aria-label="Look up an agent">
        <div className="field">
          <label htmlFor="agent-field">Or look up by</label>
          <select id="agent-field" value={chosen} onChange={(event) => setChosen(agentFieldOf(event.target.value))}>
            {Object.entries(agentFields).map(([key, title]) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="agent-value">{agentFields[chosen]}</label>
          <input
            id="agent-value"
            required
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <button type="submit">Look up</button>
      </form>
    </>
  )
}

const labelOf = ({ agent_id: id, unit_id: unit, mac_address: mac, panel }: FoundAgent): string =>
  [id, ...(unit === null ? [] : [`unit ${unit}`]), ...(mac === null ? [] : [mac]), panel].join(' · ')
