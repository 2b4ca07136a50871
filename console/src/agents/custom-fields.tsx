import type { ApiError } from '../api/api-error.ts'
import { FieldErrors } from '../parts/notice.tsx'
import type { CustomDraft } from './change-draft.ts'

type Props = {
  label: string
  drafts: readonly CustomDraft[]
  /** True if the user may choose to remove a key. False in the selector: it cannot search for agents without a key. */
  canRemove: boolean
  path: string
  error: ApiError | null
  onChange: (drafts: readonly CustomDraft[]) => void
}

/** Editor for custom keys and values. The number 1 and the text "1" are different values, so the user chooses the kind. */
export function CustomFields({ label, drafts, canRemove, path, error, onChange }: Props) {
  const replace = (position: number, changes: Partial<CustomDraft>) =>
    onChange(drafts.map((draft, index) => (index === position ? { ...draft, ...changes } : draft)))
  return (
    <fieldset>
      <legend>{label}</legend>
      {drafts.map((draft, position) => (
        <div className="row" key={position}>
          <input
            aria-label="Key"
            placeholder="key"
            value={draft.key}
            onChange={(event) => replace(position, { key: event.target.value })}
          />
          <select
            aria-label="Kind of value"
            value={draft.kind}
            onChange={(event) => replace(position, { kind: kindOf(event.target.value) })}
          >
            <option value="text">text</option>
            <option value="number">number</option>
            {canRemove && <option value="remove">remove it</option>}
          </select>
          {draft.kind !== 'remove' && (
            <input
              aria-label="Value"
              placeholder="value"
              type={draft.kind === 'number' ? 'number' : 'text'}
              step="any"
              // An empty number would be sent as 0. An empty text is valid.
              required={draft.kind === 'number'}
              value={draft.value}
              onChange={(event) => replace(position, { value: event.target.value })}
            />
          )}
          <button
            type="button"
            className="quiet"
            aria-label={`Leave ${draft.key || 'this key'} out`}
            onClick={() => onChange(drafts.filter((_, index) => index !== position))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...drafts, { key: '', value: '', kind: 'text' }])}>
        Add a key
      </button>
      <FieldErrors error={error} path={path} />
    </fieldset>
  )
}

const kindOf = (text: string): CustomDraft['kind'] => (text === 'number' || text === 'remove' ? text : 'text')
