import type { AgentKind } from './agent-kinds.ts'

export type Panel = { readonly id: number; readonly key: string; readonly owned: boolean }

/** Keys an organisation is entitled to, or every key there is, also those added later. */
export type Entitlement = 'all' | readonly string[]

/** A custom metadata field of the owner of a panel. */
export type PanelField = { readonly panel: number; readonly key: string; readonly field: number }

/** What an organisation has been given, as stored. */
export type Grants = {
  readonly panels: readonly Panel[]
  /** Kinds of agent on those panels. */
  readonly kinds: readonly AgentKind[]
  readonly tests: Entitlement
  readonly metrics: Entitlement
  readonly customFields: readonly PanelField[]
  /** Numbers of agents on those panels that are being erased: nothing of them is to be seen any more. */
  readonly erased: readonly number[]
}
