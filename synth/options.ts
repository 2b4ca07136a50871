import type { AgentKind } from '../src/catalog/agent-kinds.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'
import type { Geography } from './places.ts'

/** The options that determine a panel's agents and results. Equal options give equal rows. */
export type Population = {
  /** Key of the panel. It is part of every agent id, so two panels with the same seed differ. */
  readonly panel: string
  readonly seed: number
  readonly agents: number
  /** The first and the last UTC day with results. */
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
  readonly kinds: readonly AgentKind[]
  /** The only ISP whose customers are on the panel; null for all ISPs of the market. */
  readonly isp: string | null
  /** Where the agents live. */
  readonly geography: Geography
}

export type SynthesisOptions = Population & {
  /** Organisation that owns the panel. */
  readonly owner: string
  /** Name of the panel that people see. */
  readonly name: string
  readonly tests: readonly TestDefinition[]
}

/** The options that are stored with the timeline, so that a later run can refuse other options for the same panel. */
export const recordOf = ({
  panel,
  seed,
  agents,
  firstDay,
  lastDay,
  kinds,
  isp,
  geography,
}: Population): Record<string, unknown> => ({
  panel,
  seed,
  agents,
  firstDay: firstDay.toString(),
  lastDay: lastDay.toString(),
  kinds,
  isp,
  geography,
})
