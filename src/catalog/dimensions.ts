import { agentKinds, type AgentKind } from './agent-kinds.ts'

/** Where the value of a row comes from. */
export type DimensionSource =
  /** A column of the test's table. */
  | { readonly kind: 'column'; readonly column: string; readonly number: boolean }
  /** What is known of the agent itself. */
  | { readonly kind: 'agent'; readonly attribute: AgentAttribute }
  /** The agent's metadata as of the measurement. */
  | { readonly kind: 'isp' | 'package' }
  /** A custom field, by the panel's owner; the number of the field on each panel. */
  | { readonly kind: 'custom'; readonly fields: readonly { readonly panel: number; readonly field: number }[] }

/** What metric data can be split and filtered by. */
export type Dimension = {
  readonly id: string
  readonly name: string
  /** Kinds of agent whose results have it. */
  readonly kinds: readonly AgentKind[]
  readonly source: DimensionSource
  /** Only for metrics that name it; otherwise for every metric whose test has the column. */
  readonly onRequest?: boolean
}

/** Whether its values are whole numbers; an answer may show them as text all the same. */
export const isNumeric = (source: DimensionSource): boolean =>
  source.kind === 'agent' ? source.attribute === 'unit_id' : source.kind === 'column' && source.number

type AgentAttribute = 'agent_id' | 'unit_id' | 'base' | 'country'

const ofAgent = (id: string, name: string, attribute: AgentAttribute): Dimension => ({
  id,
  name,
  kinds: agentKinds,
  source: { kind: 'agent', attribute },
})

const ofRow = (id: string, name: string, kinds: readonly AgentKind[], column = id): Dimension => ({
  id,
  name,
  kinds,
  source: { kind: 'column', column, number: false },
})

const fixed: readonly AgentKind[] = ['whitebox', 'cpe', 'web']

/** In the order of the listing. A new one is a row here. */
export const dimensions: readonly Dimension[] = [
  { id: 'isp', name: 'ISP', kinds: agentKinds, source: { kind: 'isp' } },
  { id: 'package', name: 'Package', kinds: agentKinds, source: { kind: 'package' } },
  ofAgent('country', 'Country', 'country'),
  ofAgent('agent', 'Agent', 'agent_id'),
  ofAgent('unit', 'Unit', 'unit_id'),
  ofAgent('base', 'Device model', 'base'),
  ofRow('target', 'Test server', agentKinds),
  ofRow('target_set', 'Group of test servers', fixed, 'target_group'),
  {
    id: 'threads',
    name: 'TCP connections',
    kinds: fixed,
    source: { kind: 'column', column: 'threads', number: true },
    onRequest: true,
  },
  {
    id: 'ip_version',
    name: 'IP version',
    kinds: fixed,
    source: { kind: 'column', column: 'ip_version', number: true },
    onRequest: true,
  },
  ofRow('model', 'Phone model', ['mobile']),
  ofRow('manufacturer', 'Phone manufacturer', ['mobile']),
  ofRow('operating_system_version', 'Operating system version', ['mobile']),
  ofRow('carrier_name', 'Mobile operator', ['mobile']),
  ofRow('connection_type', 'Connection type', ['mobile']),
  ofRow('cellular_technology', 'Cellular technology', ['mobile']),
  ofRow('geo_country', 'Country the phone was in', ['mobile']),
]
