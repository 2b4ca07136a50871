import { agentKinds, type AgentKind } from '../../src/catalog/agent-kinds.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { Written } from '../../synth/write-results.ts'
import { readSettings } from '../../src/serve/config.ts'
import { synthesizePanel } from '../../src/serve/tasks/synthesize-panel.ts'
import type { World } from './world.ts'

export type SynthPanelOptions = {
  agents: number
  days: number
  /** An organisation that is there already. */
  owner: string
  panel?: string
  seed?: number
  /** Keys of tests; all of them unless named. */
  tests?: readonly string[]
  kinds?: readonly AgentKind[]
  isp?: string | null
  /** The last day, UTC. */
  until?: string
}

/** Fills a panel of a world with agents, timelines and results, settled in the engine. Needs a world with ClickHouse. */
export function synthPanel(
  world: World,
  {
    agents,
    days,
    owner,
    panel = 'synthetic',
    seed = 1,
    tests,
    kinds = agentKinds,
    isp = null,
    until = '2026-04-15',
  }: SynthPanelOptions,
): Promise<Written[]> {
  const lastDay = Temporal.PlainDate.from(until)
  return synthesizePanel(readSettings(world.environment), {
    panel,
    owner,
    name: panel,
    seed,
    agents,
    firstDay: lastDay.subtract({ days: days - 1 }),
    lastDay,
    kinds,
    isp,
    tests: catalog.tests.filter(({ key }) => tests?.includes(key) ?? true),
  })
}
