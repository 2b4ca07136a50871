import { FieldErrors } from '../parts/notice.tsx'
import type { ControlsProps } from './controls-props.ts'

/**
 * Chooses a statistic that an authority publishes. The console cannot fill the fields that some presets need, so it does not
 * offer these. A preset in the address that is not in the list is still shown, so that the user can remove it.
 */
export function PresetChoice({ listings, state, error, onChange }: ControlsProps) {
  const offered = listings.presets.filter(
    ({ key, metrics, needs }) => key === state.preset || (needs.length === 0 && metrics.includes(state.metric)),
  )
  const chosen = offered.find(({ key }) => key === state.preset)
  if (state.isRaw || (offered.length === 0 && state.preset === '')) return null
  return (
    <div className="field">
      <label htmlFor="preset">Published statistic</label>
      <select
        id="preset"
        value={state.preset}
        aria-describedby="preset-is"
        onChange={(event) => onChange({ preset: event.target.value })}
      >
        <option value="">None: mean, percentiles and counts</option>
        {chosen === undefined && state.preset !== '' && <option value={state.preset}>{state.preset}</option>}
        {offered.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
      <p className="hint" id="preset-is">
        {chosen === undefined ? '' : `${plain(chosen.description)} Source: ${chosen.source.authority}.`}
      </p>
      <FieldErrors error={error} path="preset" />
    </div>
  )
}

/** The texts of presets mark names of fields as Markdown does. */
export const plain = (text: string): string => text.replaceAll('`', '')
