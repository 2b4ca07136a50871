import type { Scope } from '../../../base/caller.ts'
import { comparable } from '../../../base/comparable.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

const agentStatement = {
  name: 'find-agent-ids',
  text: `
    SELECT found.agent_id AS value
    FROM unnest($1::integer[]) AS place (panel_id) CROSS JOIN LATERAL (
      SELECT agent_id, agent_key FROM agents
      WHERE agents.panel_id = place.panel_id AND agent_key COLLATE "C" >= identifier_key($2)
        AND agent_key COLLATE "C" < identifier_key($2) || '~' AND (identifier_key($2) <> '' OR $2 = '')
      ORDER BY agent_key COLLATE "C" LIMIT $3
    ) AS found
    ORDER BY found.agent_key COLLATE "C" LIMIT $3`,
}

const unitStatement = {
  name: 'find-unit-ids',
  text: `
    SELECT found.unit_id::text AS value
    FROM unnest($1::integer[]) AS place (panel_id) CROSS JOIN unnest($2::bigint[], $3::bigint[]) AS range (low, high)
      CROSS JOIN LATERAL (
        SELECT unit_id FROM agents WHERE agents.panel_id = place.panel_id AND unit_id BETWEEN low AND high
        ORDER BY unit_id LIMIT $4
      ) AS found
    ORDER BY found.unit_id LIMIT $4`,
}

type Value = { value: string }

/** Agents whose id begins with a text, both without punctuation and case, as ids are compared everywhere. */
export async function findAgentIds(
  scope: Scope,
  postgres: Postgres,
  panels: readonly number[],
  text: string,
  valuesMax: number,
): Promise<string[]> {
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<Value>(client, agentStatement, [panels, comparable(text), valuesMax]),
  )
  return rows.map(({ value }) => value)
}

/** Units whose number begins with these digits, smaller ones first. */
export async function findUnitIds(
  scope: Scope,
  postgres: Postgres,
  panels: readonly number[],
  digits: string,
  valuesMax: number,
): Promise<string[]> {
  const ranges = rangesOf(digits)
  if (ranges.length === 0) return []
  const bounds = [ranges.map(({ low }) => String(low)), ranges.map(({ high }) => String(high))]
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<Value>(client, unitStatement, [panels, ...bounds, valuesMax]),
  )
  return rows.map(({ value }) => value)
}

const unitMax = BigInt(Number.MAX_SAFE_INTEGER)

/** Numbers that begin with 12: 12, 120 to 129, 1200 to 1299 … */
function rangesOf(digits: string): { low: bigint; high: bigint }[] {
  if (digits === '') return [{ low: 0n, high: unitMax }]
  if (digits === '0') return [{ low: 0n, high: 0n }]
  if (!/^[1-9]\d{0,15}$/.test(digits)) return []
  const ranges = []
  for (let size = 1n, low = BigInt(digits); low <= unitMax; size *= 10n, low *= 10n)
    ranges.push({ low, high: low + size - 1n })
  return ranges
}
