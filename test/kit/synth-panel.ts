import { agentKinds, type AgentKind } from '../../src/catalog/agent-kinds.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { SynthesisOptions } from '../../synth/options.ts'
import type { Geography } from '../../synth/places.ts'
import type { Written } from '../../synth/write-results.ts'
import { readSettings } from '../../src/serve/config.ts'
import { synthesizePanel } from '../../src/serve/tasks/synthesize-panel.ts'
import type { World } from './world.ts'

export type SynthPanelOptions = {
  agents: number
  days: number
  /** The key of an existing organisation. */
  owner: string
  panel?: string
  seed?: number
  /** Keys of the tests that have results. The default is all tests. */
  tests?: readonly string[]
  kinds?: readonly AgentKind[]
  isp?: string | null
  geography?: Geography
  /** The last day with results (UTC). */
  until?: string
}

/**
 * Fills a panel with agents, timelines and results, and compacts the metadata in ClickHouse. Needs a world with
 * `clickhouse: true`.
 */
export const synthPanel = (world: World, options: SynthPanelOptions): Promise<Written[]> =>
  synthesizePanel(readSettings(world.environment), optionsOf(options))

export function optionsOf({
  agents,
  days,
  owner,
  panel = 'synthetic',
  seed = 1,
  tests,
  kinds = agentKinds,
  isp = null,
  geography = 'united-kingdom',
  until = '2026-04-15',
}: SynthPanelOptions): SynthesisOptions {
  const lastDay = Temporal.PlainDate.from(until)
  return {
    panel,
    owner,
    name: panel,
    seed,
    agents,
    firstDay: lastDay.subtract({ days: days - 1 }),
    lastDay,
    kinds,
    isp,
    geography,
    tests: catalog.tests.filter(({ key }) => tests?.includes(key) ?? true),
  }
}
