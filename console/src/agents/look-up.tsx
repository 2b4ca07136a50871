import { useState, type FormEvent } from 'react'
import type { AgentField } from '../api/metadata.ts'

export const agentFields: Record<AgentField, string> = { agent: 'Agent id', unit: 'Unit id', mac: 'MAC address' }

const isAgentField = (text: string): text is AgentField => text in agentFields
export const agentFieldOf = (text: string | null): AgentField => (text !== null && isAgentField(text) ? text : 'agent')

type Props = { field: AgentField; value: string; onLookUp: (field: AgentField, value: string) => void }

export function LookUp({ field, value, onLookUp }: Props) {
  const [chosen, setChosen] = useState(field)
  const [text, setText] = useState(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onLookUp(chosen, text.trim())
  }
  return (
    <form className="line" onSubmit={submit} aria-label="Look up an agent">
      <div className="field">
        <label htmlFor="agent-field">Look up by</label>
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
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <button type="submit" className="primary">
        Look up
      </button>
    </form>
  )
}
