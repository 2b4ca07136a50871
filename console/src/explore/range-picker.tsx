import { useState } from 'react'
import { FieldErrors } from '../parts/notice.tsx'
import type { ControlsProps } from './controls-props.ts'
import { fromInput, presets, toInput } from './ranges.ts'

export function RangePicker({ state, error, onChange }: ControlsProps) {
  const [now] = useState(() => new Date())
  const all = presets(now)
  const chosen = all.findIndex(({ range }) => range.from === state.from && range.to === state.to)
  const choose = (position: number) => {
    const own = { from: fromInput(toInput(state.from, now)), to: fromInput(toInput(state.to, now)) }
    onChange(all[position]?.range ?? own)
  }
  return (
    <fieldset>
      <legend>Range</legend>
      <label className="field">
        <span className="unseen">Preset range</span>
        <select value={chosen} onChange={(event) => choose(Number(event.target.value))}>
          {all.map(({ title }, position) => (
            <option key={title} value={position}>
              {title}
            </option>
          ))}
          <option value={-1}>From … to …</option>
        </select>
      </label>
      {chosen === -1 && (
        <>
          <Moment label="From" value={toInput(state.from, now)} onChange={(from) => onChange({ from })} />
          <FieldErrors error={error} path="time[from]" />
          <Moment label="To, included" value={toInput(state.to, now)} onChange={(to) => onChange({ to })} />
        </>
      )}
      <FieldErrors error={error} path="time[to]" />
      <details className="hint">
        <summary>In the agents’ local time</summary>
        20:00 means eight in the evening at each agent’s location, daylight saving included. Agents without a known zone
        are shown in UTC.
      </details>
    </fieldset>
  )
}

type MomentProps = { label: string; value: string; onChange: (text: string) => void }

/** A field for a date and time. An incomplete date is not sent. */
function Moment({ label, value, onChange }: MomentProps) {
  const take = (text: string) => {
    if (text !== '') onChange(fromInput(text))
  }
  return (
    <label className="field">
      {label}
      <input type="datetime-local" step={1} value={value} onChange={(event) => take(event.target.value)} />
    </label>
  )
}
