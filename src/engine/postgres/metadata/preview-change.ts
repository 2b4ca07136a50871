import type { ClientBase } from 'pg'
import type { Caller } from '../../../base/caller.ts'
import { limits } from '../../../base/limits.ts'
import type { MetadataChange, ResolvedNames } from '../../../check/metadata/metadata-change.ts'
import { agentSelection, changeMetadata } from './change-metadata.ts'
import { metadataColumns, metadataJoins, type AgentMetadata } from './read-metadata.ts'
import { mapStoreErrors } from '../postgres.ts'

export type Preview = { matched: number; sample: PreviewedAgent[] }

type PreviewedAgent = { agent_id: string; unit_id: number | null; before: AgentMetadata; after: AgentMetadata }

/**
 * Returns what a change would do: how many agents it matches, and the metadata of the first few agents before and after the
 * change. The statement of a real change runs for these few agents and is rolled back. The other agents are only counted.
 */
export async function previewChange(
  caller: Caller,
  client: ClientBase,
  change: MetadataChange,
  names: ResolvedNames,
): Promise<Preview> {
  const selection = agentSelection(caller, change.selector, 0)
  const counted = `SELECT count(*)::integer AS matched FROM current_metadata c WHERE ${selection.text}`
  const [count] = (await mapStoreErrors(() => client.query<{ matched: number }>(counted, selection.values))).rows
  const before = await findSample(client, selection.text, selection.values)
  await mapStoreErrors(() => client.query('SAVEPOINT preview'))
  const origin = { requestId: 'dry-run', body: null }
  await changeMetadata(caller, client, change, names, origin, limits.previewAgentsMax)
  const numbers = before.map(({ number }) => number)
  const after = await findSample(client, 'c.agent_id = ANY ($1)', [numbers])
  await mapStoreErrors(() => client.query('ROLLBACK TO SAVEPOINT preview'))
  const afterByNumber = new Map(after.map((agent) => [agent.number, agent]))
  return {
    matched: count?.matched ?? 0,
    sample: before.map((agent) => ({
      agent_id: agent.agent_id,
      unit_id: agent.unit_id,
      before: metadataOf(agent),
      after: metadataOf(afterByNumber.get(agent.number) ?? agent),
    })),
  }
}

type SampleRow = AgentMetadata & { number: number; agent_id: string; unit_id: number | null }

async function findSample(client: ClientBase, condition: string, values: unknown[]): Promise<SampleRow[]> {
  const text = `
    SELECT m.agent_id AS number, agents.agent_id, agents.unit_id::float8 AS unit_id, ${metadataColumns}
    FROM (SELECT c.* FROM current_metadata c WHERE ${condition} ORDER BY c.agent_id LIMIT ${limits.previewAgentsMax}) m
      JOIN agents ON agents.id = m.agent_id ${metadataJoins}
    ORDER BY m.agent_id`
  const result = await mapStoreErrors(() => client.query<SampleRow>(text, values))
  return result.rows
}

const metadataOf = ({ package: packageName, isp, timezone, custom }: SampleRow): AgentMetadata => ({
  package: packageName,
  isp,
  timezone,
  custom,
})
