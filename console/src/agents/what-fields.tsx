import { FieldErrors } from '../parts/notice.tsx'
import type { DraftFieldsProps } from './change-draft.ts'
import { CustomFields } from './custom-fields.tsx'
import { TextField } from './text-field.tsx'

const dayText = (daysAgo: number): string => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

/** The fields with the new values and the first day of the change. */
export function WhatFields({ draft, error, onChange, isDisabled }: DraftFieldsProps & { isDisabled: boolean }) {
  return (
    <fieldset disabled={isDisabled}>
      <legend>Set</legend>
      <TextField
        label="New package"
        placeholder="ISP:package, or ISP: for none"
        list="packages"
        value={draft.package}
        error={error}
        path="metadata[package]"
        onChange={(value) => onChange({ package: value })}
      />
      <TextField
        label="New time zone"
        placeholder="Europe/London"
        list="zones"
        value={draft.timezone}
        error={error}
        path="metadata[timezone]"
        onChange={(timezone) => onChange({ timezone })}
      />
      <CustomFields
        label="Custom, new values"
        drafts={draft.custom}
        canRemove
        path="metadata[custom]"
        error={error}
        onChange={(custom) => onChange({ custom })}
      />
      <div className="field">
        <label htmlFor="from-day">From this day on (UTC)</label>
        <input
          id="from-day"
          type="date"
          min={dayText(28)}
          max={dayText(0)}
          value={draft.from}
          onChange={(event) => onChange({ from: event.target.value })}
        />
        <p className="hint">Empty: today. At most 28 days back. Charts of those days change too.</p>
        <FieldErrors error={error} path="backdate_from" />
      </div>
      <label>
        <input
          type="checkbox"
          checked={draft.overwriteAll}
          onChange={(event) => onChange({ overwriteAll: event.target.checked })}
        />{' '}
        Remove everything that is not given here
      </label>
      {error?.fields['metadata'] !== undefined && (
        <p className="field-error">{error.fields['metadata'].join(' ')} Give at least one field.</p>
      )}
    </fieldset>
  )
}
