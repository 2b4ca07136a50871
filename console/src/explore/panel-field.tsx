import { FieldErrors } from '../parts/notice.tsx'
import type { ControlsProps } from './controls.tsx'

/** Panels are not listed by the interface; who has a key types it. */
export function PanelField({ state, error, onChange }: ControlsProps) {
  const take = (text: string) =>
    onChange({
      panels: text
        .split(',')
        .map((key) => key.trim())
        .filter((key) => key !== ''),
    })
  return (
    <details open={state.panels.length > 0}>
      <summary>Panels</summary>
      <label className="field">
        Keys, separated by commas
        <input
          defaultValue={state.panels.join(', ')}
          placeholder="every panel you can read"
          onBlur={(event) => take(event.target.value)}
        />
      </label>
      <FieldErrors error={error} path="panel" />
    </details>
  )
}
