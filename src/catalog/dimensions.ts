import { agentKinds, type AgentKind } from './agent-kinds.ts'
import { defaultPeak, type ClockElement } from './local-window.ts'

/** The source of a dimension's value for a row of results. */
export type DimensionSource =
  /** The value is a column of the test's table. `number` is true if the column contains numbers. */
  | { readonly kind: 'column'; readonly column: string; readonly number: boolean }
  /** The value is an attribute of the agent. */
  | { readonly kind: 'agent'; readonly attribute: AgentAttribute }
  /** The value is the metadata that the agent had at the time of the measurement. */
  | { readonly kind: 'isp' | 'package' }
  /** The value is a custom field, which the owner of a panel defines. The field has a different internal id for each owner. */
  | { readonly kind: 'custom'; readonly fields: readonly { readonly panel: number; readonly field: number }[] }
  /** The value follows from the local time of the result. */
  | ({ readonly kind: 'clock' } & ClockElement)

/** A dimension to split and filter metric data by. */
export type Dimension = {
  readonly id: string
  readonly name: string
  /** Kinds of agent whose results have this dimension. */
  readonly kinds: readonly AgentKind[]
  readonly source: DimensionSource
  /** If true, only metrics that list this dimension have it. Otherwise every metric whose test has the column has it. */
  readonly onRequest?: boolean
}

/** True if a response shows the values as whole numbers. */
export function isShownAsNumber(source: DimensionSource): boolean {
  if (source.kind === 'clock') return source.element !== 'peak'
  return source.kind === 'column' && source.number
}

/** True if the values are whole numbers; a response may still show them as text. */
export const isNumeric = (source: DimensionSource): boolean =>
  source.kind === 'agent' ? source.attribute === 'unit_id' : isShownAsNumber(source)

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

const ofClock = (id: string, name: string, element: ClockElement): Dimension => ({
  id,
  name,
  kinds: agentKinds,
  source: { kind: 'clock', ...element },
})

const fixed: readonly AgentKind[] = ['whitebox', 'cpe', 'web']

/** All dimensions, in the order in which the API lists them. To add a dimension, add a row. */
export const dimensions: readonly Dimension[] = [
  { id: 'isp', name: 'ISP', kinds: agentKinds, source: { kind: 'isp' } },
  { id: 'package', name: 'Package', kinds: agentKinds, source: { kind: 'package' } },
  ofAgent('country', 'Country', 'country'),
  ofAgent('agent', 'Agent', 'agent_id'),
  ofAgent('unit', 'Unit', 'unit_id'),
  ofAgent('base', 'Device model', 'base'),
  ofClock('hour_of_day', 'Hour of the day', { element: 'hour_of_day' }),
  ofClock('day_of_week', 'Day of the week', { element: 'day_of_week' }),
  ofClock('peak', 'Peak hours', { element: 'peak', window: defaultPeak }),
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
