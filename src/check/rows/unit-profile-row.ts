import { checkAgentRow, type AgentRow } from './agent-row.ts'
import { isStorable } from '../field-faults.ts'
import { checkPackageRow, type PackageRow } from './package-row.ts'

/** A unit (an agent) from the file of unit profiles in a published data set. */
export type UnitProfile = {
  readonly agent: AgentRow
  readonly isp: string | null
  readonly offer: PackageRow | null
  readonly timezone: string | null
  readonly custom: Readonly<Record<string, string>>
}

/**
 * The name of each column in this file, and its names in the published files of different years. Published names are compared
 * without case and punctuation.
 */
const columns = {
  unit_id: ['unitid'],
  isp: ['isp'],
  technology: ['technology'],
  state: ['state'],
  census: ['census', 'censusregion'],
  offset: ['timezoneoffset', 'timezone', 'tz'],
  offset_dst: ['timezoneoffsetdst', 'timezonedst', 'dst'],
  download: ['download', 'downloadspeed'],
  upload: ['upload', 'uploadspeed'],
  model: ['whiteboxmodel', 'model'],
} as const

type ColumnName = keyof typeof columns

/**
 * Replaces published column names by our names. Columns may be in any order, and an unused column gets a name that no column
 * of ours has. `missing` lists the columns that are not in the file exactly once.
 */
export function profileColumns(names: readonly string[]): { names: string[]; missing: string[] } {
  const plain = names.map((name) => name.toLowerCase().replace(/[^a-z]/g, ''))
  const known = Object.entries(columns).map(([ours, theirs]) => ({ ours, theirs: theirs as readonly string[] }))
  const named = plain.map(
    (name, index) => known.find(({ theirs }) => theirs.includes(name))?.ours ?? `unused ${index + 1}`,
  )
  const missing = known.filter(({ ours }) => named.filter((name) => name === ours).length !== 1)
  return { names: named, missing: missing.map(({ ours }) => ours) }
}

/**
 * Time zones by their offsets from UTC in winter and summer. In the United States, each pair of offsets belongs to one time
 * zone.
 */
const zones: Readonly<Record<string, string>> = {
  '-5/-4': 'America/New_York',
  '-6/-5': 'America/Chicago',
  '-7/-6': 'America/Denver',
  '-7/-7': 'America/Phoenix',
  '-8/-7': 'America/Los_Angeles',
  '-9/-8': 'America/Anchorage',
  '-10/-10': 'Pacific/Honolulu',
}

/**
 * Checks one line of a unit profile. If the line is invalid, returns the fault as a string. The id of the agent is the number
 * of the unit.
 */
export function checkUnitProfileRow(record: Readonly<Record<string, string>>): UnitProfile | string {
  const cell = (name: ColumnName): string => record[name]?.trim() ?? ''
  const agent = checkAgentRow({
    agent_id: cell('unit_id'),
    unit_id: cell('unit_id'),
    mac_address: '',
    kind: 'whitebox',
    base: cell('model'),
    country: 'US',
  })
  if (typeof agent === 'string') return agent.replace('agent_id', 'unit_id')
  const offsets = [cell('offset'), cell('offset_dst')]
  const timezone = zones[offsets.map((text) => (text === '' ? '' : String(Number(text)))).join('/')]
  if (timezone === undefined && offsets.some((text) => text !== '')) {
    const known = Object.keys(zones).join(', ')
    return `time-zone offsets ${offsets.join('/')}: there is a zone for ${known}; leave both empty when it is not known`
  }
  const custom = { technology: cell('technology'), state: cell('state'), census: cell('census') }
  if (!Object.values(custom).every(isStorable)) return 'technology, state, census: no control characters'
  const offer = checkOffer(cell)
  if (typeof offer === 'string') return offer
  const stated = Object.fromEntries(Object.entries(custom).filter(([, value]) => value !== ''))
  return { agent, isp: cell('isp') || null, offer, timezone: timezone ?? null, custom: stated }
}

/**
 * A unit profile has speeds and a technology but no package name, so this function builds the name from the speeds and the
 * technology.
 */
function checkOffer(cell: (name: ColumnName) => string): PackageRow | null | string {
  if (cell('isp') === '') return null
  const speeds = [cell('download'), cell('upload')]
  const name = speeds.every((speed) => speed === '')
    ? ''
    : `${cell('technology')} ${speeds.map(asName).join('/')}`.trim()
  const [download = '', upload = ''] = speeds.map((speed) => (isNumber(speed) ? speed : ''))
  const checked = checkPackageRow({
    isp: cell('isp'),
    package: name || '-',
    download_mbps: download,
    upload_mbps: upload,
  })
  return typeof checked === 'string' || name !== '' ? checked : null
}

/**
 * Returns false for a range, such as `[1.1 - 3.0]`. A range becomes part of the package's name, and the speed of the package
 * is then unknown.
 */
const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)
const asName = (text: string): string => (isNumber(text) ? String(Number(text)) : text || '?')
