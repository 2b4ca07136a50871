import type { ApiError } from '../api/api-error.ts'
import type { AgentField, Change } from '../api/metadata.ts'

export type CustomDraft = { readonly key: string; readonly value: string; readonly kind: 'text' | 'number' | 'remove' }

/** The content of the form. An empty text means that the field is not given. */
export type Draft = {
  /** Which agents to change: the one that the user looked up, or all agents that match the selector. */
  readonly whom: 'found' | 'matching'
  readonly isp: string
  readonly ofPackage: string
  readonly ofTimezone: string
  readonly ofCustom: readonly CustomDraft[]
  readonly package: string
  readonly timezone: string
  readonly custom: readonly CustomDraft[]
  /** First day of the change, in UTC. Empty means today. */
  readonly from: string
  readonly overwriteAll: boolean
}

export const emptyDraft: Draft = {
  whom: 'matching',
  isp: '',
  ofPackage: '',
  ofTimezone: '',
  ofCustom: [],
  package: '',
  timezone: '',
  custom: [],
  from: '',
  overwriteAll: false,
}

export type DraftFieldsProps = {
  draft: Draft
  error: ApiError | null
  onChange: (changes: Partial<Draft>) => void
}

export type Found = { readonly field: AgentField; readonly value: string }

/** Builds the request body of the change. The console does not validate it: the service reports errors for each field. */
export function changeOf(draft: Draft, found: Found | null, now: Date): Change {
  const agent =
    draft.whom === 'found' && found !== null
      ? selectorOf(found)
      : given({
          isp: draft.isp,
          package: draft.ofPackage,
          timezone: draft.ofTimezone,
          custom: customOf(draft.ofCustom),
        })
  return {
    agent,
    metadata: given({ package: draft.package, timezone: draft.timezone, custom: customOf(draft.custom) }),
    ...(draft.from === '' ? {} : { backdate_from: lastSecondOf(draft.from, now) }),
    ...(draft.overwriteAll ? { overwrite_all: true } : {}),
  }
}

function selectorOf({ field, value }: Found): Record<string, unknown> {
  if (field === 'agent') return { agent_id: value }
  return field === 'unit' ? { unit_id: Number(value) } : { mac_address: value }
}

const given = (fields: Record<string, string | Record<string, unknown> | null>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== null))

function customOf(drafts: readonly CustomDraft[]): Record<string, unknown> | null {
  const values = drafts.map(({ key, value, kind }): [string, unknown] => [
    key,
    kind === 'remove' ? null : kind === 'number' ? Number(value) : value,
  ])
  return values.length === 0 ? null : Object.fromEntries(values)
}

/**
 * Returns the timestamp that represents a day in the request: the last second of the day, or now if that second is in the
 * future. The service uses only the day of the timestamp, and accepts timestamps of the past 28 days. So the last second of a
 * day is accepted for longer than any other second of it.
 */
const lastSecondOf = (day: string, now: Date): number =>
  Math.min(Date.parse(`${day}T23:59:59Z`) / 1000, Math.floor(now.getTime() / 1000))
