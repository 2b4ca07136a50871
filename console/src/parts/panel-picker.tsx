import type { ApiError } from '../api/api-error.ts'
import type { Panel } from '../api/console-lists.ts'
import { FieldErrors } from './notice.tsx'

type Props = {
  panels: readonly Panel[]
  chosen: readonly string[]
  error: ApiError | null
  onChange: (keys: string[]) => void
}

/**
 * Chooses panels; none means all. If the address contains a panel that is not in the list, it is still shown, so that the user
 * can remove it.
 */
export function PanelPicker({ panels, chosen, error, onChange }: Props) {
  const offered = panels.filter(({ key }) => !chosen.includes(key))
  const nameOf = (key: string) => panels.find((one) => one.key === key)?.name ?? key
  return (
    <fieldset className="field">
      <legend>Panels</legend>
      {chosen.length > 0 && (
        <ul className="chips">
          {chosen.map((key) => (
            <li key={key}>
              {nameOf(key)}{' '}
              <button
                type="button"
                aria-label={`Remove the panel ${nameOf(key)}`}
                onClick={() => onChange(chosen.filter((one) => one !== key))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <select aria-label="Add a panel" value="" onChange={(event) => onChange([...chosen, event.target.value])}>
        <option value="">{chosen.length === 0 ? `All ${panels.length} you can read` : 'and …'}</option>
        {offered.map(({ key, name, owned }) => (
          <option key={key} value={key}>
            {name === key ? key : `${name} (${key})`}
            {owned ? '' : ', subscribed'}
          </option>
        ))}
      </select>
      <FieldErrors error={error} path="panel" />
    </fieldset>
  )
}
