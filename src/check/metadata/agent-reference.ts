import { comparable } from '../../base/comparable.ts'
import { isStorable } from '../field-faults.ts'

/** One agent, by one of its three identifiers, as in the path of GET /metadata. */
export type AgentReference = { field: 'agent' | 'unit' | 'mac'; value: string }

/** Null for what cannot name an agent; it is answered like an agent that is not there. */
export function checkAgentReference({ field, value = '' }: Readonly<Record<string, string>>): AgentReference | null {
  if (field === 'unit' && isUnitNumber(value)) return { field, value }
  if ((field === 'agent' || field === 'mac') && isIdentifier(value)) return { field, value }
  return null
}

const isIdentifier = (text: string): boolean =>
  /[A-Za-z0-9]/.test(text) && isStorable(text) && comparable(text) !== null

const isUnitNumber = (text: string): boolean => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
