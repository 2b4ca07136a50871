import { catalog } from '../../../src/catalog/catalog.ts'
import { recordValuesOfFacts } from '../../../src/engine/clickhouse/values/record-facts.ts'
import { changeTimelines, type TimelineRow } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { changeSubscription, createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { AgentRow } from '../../../src/check/rows/agent-row.ts'
import { agent, asLines } from '../../kit/panels.ts'
import type { World } from '../../kit/world.ts'

const lines = <Row>(rows: readonly Row[]) => asLines(rows.map((row, index) => ({ line: index + 2, row })))

export const note = (world: World): Promise<void> =>
  recordValuesOfFacts(world.engine('INGEST'), catalog, new AbortController().signal)

type Given = Partial<AgentRow> & Pick<AgentRow, 'agent_id'>

export const panelOf = (world: World, key: string, owner: string, agents: readonly Given[]): Promise<void> =>
  world.operate(async (operator) => {
    await createPanel(operator, { key, name: key, owner })
    await importAgents(operator, key, lines(agents.map(agent)), () => {})
  })

export const subscribe = (world: World, panel: string, organisation: string): Promise<unknown> =>
  world.operate((operator) => changeSubscription(operator, { panel, organisation, subscribed: true }))

export const packages = (world: World, names: readonly `${string}:${string}`[]): Promise<unknown> =>
  world.operate((operator) =>
    importPackages(
      operator,
      lines(
        names.map((name) => ({
          isp: name.split(':')[0] ?? '',
          package: name.split(':')[1] ?? '',
          download_bits_sec: null,
          upload_bits_sec: null,
        })),
      ),
      () => {},
    ),
  )

type Said = Pick<TimelineRow, 'agent_id' | 'from_day'> & { isp?: string; package?: string; custom?: object }

/** Sets the metadata of agents, each from the day in its row. */
export const say = (world: World, panel: string, rows: readonly Said[]): Promise<unknown> =>
  world.operate((operator) =>
    changeTimelines(
      operator,
      panel,
      lines(
        rows.map(({ isp = null, package: name = null, custom = {}, ...row }) => ({
          ...row,
          isp,
          package: name,
          timezone: null,
          custom: JSON.stringify(custom),
        })),
      ),
      { requestId: 'test', request: {} },
      () => {},
    ),
  )
