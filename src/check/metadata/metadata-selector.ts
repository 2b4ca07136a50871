import { checkCustom, type CustomValues } from './custom-metadata.ts'
import { type FieldFaults, isLonger, isObject, isStorable, messages, shown } from '../field-faults.ts'
import { parsePackage } from './package-name.ts'
import { comparable } from '../../base/comparable.ts'

/** Selects the agents that match all given fields. */
export type MetadataSelector = {
  readonly agentId?: string | undefined
  readonly unitId?: number | undefined
  readonly macAddress?: string | undefined
  readonly isp?: string | undefined
  readonly package?: { isp: string; package: string } | undefined
  readonly zone?: string | undefined
  readonly custom?: CustomValues | undefined
}

export const identifierCharactersMax = 255

const expected = ['agent_id', 'unit_id', 'mac_address', 'isp', 'package', 'timezone', 'custom']

export function checkSelector(agent: unknown, faults: FieldFaults): MetadataSelector {
  if (isEmpty(agent)) faults.add('agent', 'Agent cannot be empty.')
  else if (!isObject(agent)) faults.add('agent', messages.type('object'))
  const fields = isObject(agent) ? agent : {}
  faults.addUnexpected(fields, expected, 'agent')
  const { custom } = checkCustom(fields['custom'], 'searching', 'agent[custom]', faults)
  return {
    agentId: checkIdentifier(fields, 'agent_id', faults),
    unitId: checkUnit(fields['unit_id'], faults),
    macAddress: checkIdentifier(fields, 'mac_address', faults),
    isp: checkText(fields, 'isp', faults),
    package: checkPackage(fields['package'], faults),
    zone: checkText(fields, 'timezone', faults),
    custom: fields['custom'] === undefined ? undefined : custom,
  }
}

/** Returns true also for null and for an empty list: PHP clients send these for an empty object. */
const isEmpty = (agent: unknown): boolean =>
  agent === undefined || agent === null || (typeof agent === 'object' && Object.keys(agent).length === 0)

function checkText(fields: Readonly<Record<string, unknown>>, name: string, faults: FieldFaults): string | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') faults.add(`agent[${name}]`, messages.type('string'))
  else if (!isStorable(value)) faults.add(`agent[${name}]`, 'Invalid value')
  else return value
  return undefined
}

/**
 * Checks an identifier, including its length. Matching ignores punctuation, so an identifier with a megabyte of punctuation
 * would match, and would be stored with the change forever.
 */
function checkIdentifier(...asked: Parameters<typeof checkText>): string | undefined {
  const [, name, faults] = asked
  const value = checkText(...asked)
  if (value === undefined || !isLonger(value, identifierCharactersMax)) return value
  faults.add(`agent[${name}]`, 'Invalid value')
  return undefined
}

function checkUnit(value: unknown, faults: FieldFaults): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  if (value !== undefined) faults.add('agent[unit_id]', messages.type('integer'))
  return undefined
}

function checkPackage(value: unknown, faults: FieldFaults): { isp: string; package: string } | undefined {
  if (value === undefined) return undefined
  const name = parsePackage(value)
  // An ISP without a package is not valid in this field. The field `isp` selects by ISP.
  if (name !== null && name.package !== null) return { isp: name.isp, package: name.package }
  faults.add('agent[package]', `${shown(value)} is not a valid package name.`)
  return undefined
}

/** One agent, by one of its three identifiers, as in the path of GET /metadata. */
export type AgentReference = { field: 'agent' | 'unit' | 'mac'; value: string }

/** Returns null if the text cannot identify an agent. The response is then the same as for an unknown agent. */
export function checkAgentReference({ field, value = '' }: Readonly<Record<string, string>>): AgentReference | null {
  if (field === 'unit' && isUnitNumber(value)) return { field, value }
  if ((field === 'agent' || field === 'mac') && isIdentifier(value)) return { field, value }
  return null
}

const isIdentifier = (text: string): boolean =>
  /[A-Za-z0-9]/.test(text) && isStorable(text) && comparable(text) !== null

const isUnitNumber = (text: string): boolean => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
