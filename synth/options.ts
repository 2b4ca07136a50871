import type { AgentKind } from '../src/catalog/agent-kinds.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'

/** What decides who is in a panel and what happened to them. The same population gives the same rows. */
export type Population = {
  /** Key of the panel; it is part of every agent's name, so panels of the same seed differ. */
  readonly panel: string
  readonly seed: number
  readonly agents: number
  /** UTC days, both included. */
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
  readonly kinds: readonly AgentKind[]
  /** Customers of one ISP only; null for the whole market. */
  readonly isp: string | null
}

export type SynthesisOptions = Population & {
  /** Organisation that owns the panel. */
  readonly owner: string
  /** Name of the panel for people. */
  readonly name: string
  readonly tests: readonly TestDefinition[]
}

/** What is kept with the timeline, to know the panel again. */
export const recordOf = ({
  panel,
  seed,
  agents,
  firstDay,
  lastDay,
  kinds,
  isp,
}: Population): Record<string, unknown> => ({
  panel,
  seed,
  agents,
  firstDay: firstDay.toString(),
  lastDay: lastDay.toString(),
  kinds,
  isp,
})
