import { crc32 } from 'node:zlib'
import type { TokenScope } from '../../src/base/caller.ts'
import type { AgentRow } from '../../src/check/rows/agent-row.ts'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import type { World } from './world.ts'

/** Creates an organisation. By default it has access to all tests and metrics. */
export const organisation = (
  world: World,
  key: string,
  { tests = ['*'], metrics = ['*'] }: { tests?: string[]; metrics?: string[] } = {},
) => world.operate((operator) => createOrganisation(operator, { key, name: key, tests, metrics }))

export async function token(
  world: World,
  organisationKey: string,
  scopes: TokenScope[] = ['data:read'],
  expiresAt: Temporal.Instant | null = null,
): Promise<string> {
  const created = await world.operate((operator) =>
    createToken(operator, { organisation: organisationKey, label: 'test', scopes, expiresAt }),
  )
  return created.token
}

/** Creates a panel with one agent of each kind in `kinds`. */
export async function panel(world: World, key: string, owner: string, kinds: AgentRow['kind'][]): Promise<void> {
  await world.operate(async (operator) => {
    await createPanel(operator, { key, name: key, owner })
    const agents = kinds.map((kind, index) => ({ line: index + 2, row: agent({ agent_id: `${key}-${kind}`, kind }) }))
    await importAgents(operator, key, asLines(agents), () => {})
  })
}

/**
 * The default unit of an agent. It is derived from the agent's id. A counter would depend on the test files that ran
 * before in the same process.
 */
export const unitOf = (agentId: string): string => String(crc32(agentId) % 1_000_000_000)

export const agent = (row: Partial<AgentRow> & Pick<AgentRow, 'agent_id'>): AgentRow => ({
  unit_id: unitOf(row.agent_id),
  mac_address: null,
  kind: 'whitebox',
  base: 'model-x',
  country: 'GB',
  ...row,
})

export async function* asLines<Line>(lines: Iterable<Line>): AsyncGenerator<Line> {
  yield* lines
}
