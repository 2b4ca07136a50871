import type { DraftFieldsProps, Found } from './change-draft.ts'
import { CustomFields } from './custom-fields.tsx'
import { agentFields } from './look-up.tsx'
import { FieldErrors } from '../parts/notice.tsx'
import { TextField } from './text-field.tsx'

type Props = DraftFieldsProps & { found: Found | null; isDisabled: boolean }

/** The fields that select which agents to change. */
export function SelectorFields({ draft, error, onChange, found, isDisabled }: Props) {
  const isMatching = draft.whom === 'matching'
  return (
    <fieldset disabled={isDisabled}>
      <legend>Which agents</legend>
      {found !== null && (
        <p className="row">
          <label>
            <input type="radio" name="whom" checked={!isMatching} onChange={() => onChange({ whom: 'found' })} />{' '}
            {agentFields[found.field]} {found.value}
          </label>
          <label>
            <input type="radio" name="whom" checked={isMatching} onChange={() => onChange({ whom: 'matching' })} />{' '}
            Every agent that matches
          </label>
        </p>
      )}
      {isMatching && <MatchingFields draft={draft} error={error} onChange={onChange} />}
      {error?.fields['agent'] !== undefined && (
        <p className="field-error">{error.fields['agent'].join(' ')} Name what the agents have in common.</p>
      )}
      <FieldErrors error={error} path="agent[agent_id]" />
      <FieldErrors error={error} path="agent[unit_id]" />
      <FieldErrors error={error} path="agent[mac_address]" />
    </fieldset>
  )
}

function MatchingFields({ draft, error, onChange }: DraftFieldsProps) {
  return (
    <>
      <p className="hint">By current metadata, on panels your organisation owns. All given fields must match.</p>
      <TextField label="ISP" value={draft.isp} error={error} path="agent[isp]" onChange={(isp) => onChange({ isp })} />
      <TextField
        label="Package"
        placeholder="ISP:package"
        list="packages"
        value={draft.ofPackage}
        error={error}
        path="agent[package]"
        onChange={(ofPackage) => onChange({ ofPackage })}
      />
      <TextField
        label="Time zone"
        list="zones"
        value={draft.ofTimezone}
        error={error}
        path="agent[timezone]"
        onChange={(ofTimezone) => onChange({ ofTimezone })}
      />
      <CustomFields
        label="Custom, current values"
        drafts={draft.ofCustom}
        canRemove={false}
        path="agent[custom]"
        error={error}
        onChange={(ofCustom) => onChange({ ofCustom })}
      />
    </>
  )
}
