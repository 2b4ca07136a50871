import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { agent, asLines, organisation, token } from '../kit/panels.ts'
import type { World } from '../kit/world.ts'

export type MetadataPanel = { readonly token: string; readonly units: readonly number[] }

/**
 * Creates an organisation with one panel of agents that have unit numbers, and a token that may read and change them.
 */
export async function metadataPanel(
  world: World,
  owner: string,
  unitFirst: number,
  agentsCount: number,
): Promise<MetadataPanel> {
  await organisation(world, owner)
  await world.operate((operator) => createPanel(operator, { key: owner, name: owner, owner }))
  const units = Array.from({ length: agentsCount }, (_, index) => unitFirst + index)
  await registerAgents(world, owner, units)
  return { token: `Bearer ${await token(world, owner, ['metadata:read', 'metadata:write'])}`, units }
}

export async function registerAgents(world: World, panelKey: string, units: readonly number[]): Promise<void> {
  const lines = units.map((unit, index) => ({
    line: index + 2,
    row: agent({ agent_id: `${panelKey}-${unit}`, unit_id: String(unit) }),
  }))
  await world.operate((operator) => importAgents(operator, panelKey, asLines(lines), () => {}))
}
