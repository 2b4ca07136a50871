import { isStorable } from '../field-faults.ts'
import { agentKinds, type AgentKind } from '../../catalog/agent-kinds.ts'

export const agentColumns = ['agent_id', 'unit_id', 'mac_address', 'kind', 'base', 'country'] as const

export type AgentRow = {
  agent_id: string
  unit_id: string | null
  mac_address: string | null
  kind: AgentKind
  base: string | null
  country: string | null
}

/**
 * Checks one line of the operator's list of agents. If the line is invalid, returns the fault as a string. An empty cell is a
 * missing value.
 */
export function checkAgentRow(record: Readonly<Record<string, string>>): AgentRow | string {
  const cell = (name: (typeof agentColumns)[number]): string | null => record[name]?.trim() || null
  const agentId = cell('agent_id')
  const unitId = cell('unit_id')
  const macAddress = cell('mac_address')
  const kind = agentKinds.find((known) => known === cell('kind'))
  if (agentId === null || !isIdentifier(agentId, 128))
    return 'agent_id: 1 to 128 ASCII characters with a letter or digit'
  if (kind === undefined) return `kind: one of ${agentKinds.join(', ')}`
  if (unitId !== null && !isUnitId(unitId)) return 'unit_id: a whole number from 0 to 9007199254740991'
  if (unitId === null && (kind === 'whitebox' || kind === 'cpe')) return `unit_id: a ${kind} has one`
  if (macAddress !== null && !isIdentifier(macAddress, 64))
    return 'mac_address: ASCII characters with a letter or digit'
  if (!isStorable(cell('base') ?? '') || !isStorable(cell('country') ?? ''))
    return 'base, country: no control characters'
  return {
    agent_id: agentId,
    unit_id: unitId,
    mac_address: macAddress,
    kind,
    base: cell('base'),
    country: cell('country'),
  }
}

const isIdentifier = (text: string, lengthMax: number): boolean =>
  text.length <= lengthMax && /^[ -~]+$/.test(text) && /[A-Za-z0-9]/.test(text)

const isUnitId = (text: string): boolean => /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
