import type { AgentKind } from './agent-kinds.ts'

export type Panel = { readonly id: number; readonly key: string; readonly owned: boolean }

/** The keys that an organisation is entitled to. `all` includes keys that are added later. */
export type Entitlement = 'all' | readonly string[]

/** A custom field, defined by the owner of the panel. `field` is its internal id. */
export type PanelField = { readonly panel: number; readonly key: string; readonly field: number }

/** What an organisation may read, as PostgreSQL stores it. */
export type Grants = {
  readonly panels: readonly Panel[]
  /** Kinds of the agents on `panels`. */
  readonly kinds: readonly AgentKind[]
  readonly tests: Entitlement
  readonly metrics: Entitlement
  readonly customFields: readonly PanelField[]
  /** Agent numbers (internal ids) of the agents on `panels` that are being erased. No response may show their data. */
  readonly erased: readonly number[]
}
