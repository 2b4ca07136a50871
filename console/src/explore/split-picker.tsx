import { FieldErrors } from '../parts/notice.tsx'
import type { ControlsProps } from './controls-props.ts'

const splitsMax = 4

export function SplitPicker({ listings, metric, state, error, onChange }: ControlsProps) {
  const names = new Map(listings.splits.map(({ id, name }) => [id, name]))
  const offered = listings.splits.filter(
    ({ id }) => !state.splits.includes(id) && (metric === null || metric.splits.includes(id)),
  )
  const drop = (id: string) => onChange({ splits: state.splits.filter((one) => one !== id) })
  return (
    <fieldset>
      <legend>Split by</legend>
      {state.splits.length > 0 && (
        <ul className="chips">
          {state.splits.map((id) => (
            <li key={id}>
              {names.get(id) ?? id}
              <button type="button" aria-label={`Do not split by ${names.get(id) ?? id}`} onClick={() => drop(id)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {state.splits.length < splitsMax && offered.length > 0 && (
        <select
          aria-label="Add a split"
          value=""
          onChange={(event) => onChange({ splits: [...state.splits, event.target.value] })}
        >
          <option value="">{state.splits.length === 0 ? 'Nothing: one line for all' : 'and by …'}</option>
          {offered.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <FieldErrors error={error} path="splits" />
    </fieldset>
  )
}
