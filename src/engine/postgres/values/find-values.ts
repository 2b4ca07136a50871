import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type NamedStatement, type Postgres } from '../postgres.ts'
import { comparable } from '../../../base/comparable.ts'

/** Where to search for values: in a panel, under a subject. A subject is a kind of value, such as `isp`. */
export type ValuePlace = { readonly panel: number; readonly subject: string }

// Reads the first values of each panel in index order, then selects the first of these.
const statementWhere = (name: string, condition: string): NamedStatement => ({
  name,
  text: `
    SELECT found.value
    FROM unnest($1::integer[], $2::text[]) AS place (panel_id, subject) CROSS JOIN LATERAL (
      SELECT folded, value FROM panel_values AS known
      WHERE known.panel_id = place.panel_id AND known.subject = place.subject AND ${condition}
      ORDER BY folded, value LIMIT $4
    ) AS found
    GROUP BY found.folded, found.value ORDER BY found.folded, found.value LIMIT $4`,
})

const statements = {
  // The condition does not use LIKE: with row-level security, PostgreSQL uses an index only for leakproof operators.
  prefix: statementWhere(
    'find-values-by-prefix',
    'known.folded >= lower($3::text) AND known.folded < lower($3::text) || chr(1114111)',
  ),
  inside: statementWhere('find-values-by-part', 'position(lower($3::text) in known.folded) > 1'),
}

export async function findPanelValues(
  scope: Scope,
  postgres: Postgres,
  places: readonly ValuePlace[],
  { text, place, valuesMax }: { text: string; place: keyof typeof statements; valuesMax: number },
): Promise<string[]> {
  const parameters = [places.map(({ panel }) => panel), places.map(({ subject }) => subject), text, valuesMax]
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<{ value: string }>(client, statements[place], parameters),
  )
  return rows.map(({ value }) => value)
}

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

/** Finds agents whose agent id begins with a text. Ignores punctuation and case, as every comparison of agent ids does. */
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

/** Finds units whose number begins with these digits, the smallest first. */
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

/** The ranges of numbers that begin with the digits. For 12: 12, 120 to 129, 1200 to 1299, and so on. */
function rangesOf(digits: string): { low: bigint; high: bigint }[] {
  if (digits === '') return [{ low: 0n, high: unitMax }]
  if (digits === '0') return [{ low: 0n, high: 0n }]
  if (!/^[1-9]\d{0,15}$/.test(digits)) return []
  const ranges = []
  for (let size = 1n, low = BigInt(digits); low <= unitMax; size *= 10n, low *= 10n)
    ranges.push({ low, high: low + size - 1n })
  return ranges
}

/** A value to look up. `subject` is `agent`, `unit`, or a subject of the panels' values. */
export type SoughtValue = { readonly subject: string; readonly value: string }

// One index look-up per value. The statement does not use EXISTS, which the planner can turn into a scan of the whole table.
const statement = {
  name: 'find-known-values',
  text: `
    SELECT sought.number
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS sought (subject, value, number)
    WHERE CASE sought.subject
      WHEN 'agent' THEN (
        SELECT true FROM agents WHERE agents.agent_key = identifier_key(sought.value)
          AND agents.agent_id = sought.value AND agents.panel_id = ANY ($3) LIMIT 1)
      WHEN 'unit' THEN (
        SELECT true FROM agents WHERE agents.unit_id = sought.value::bigint AND agents.panel_id = ANY ($3) LIMIT 1)
      ELSE (
        SELECT true FROM panel_values AS known WHERE known.panel_id = ANY ($3) AND known.subject = sought.subject
          AND known.folded = lower(sought.value) AND known.value = sought.value LIMIT 1)
    END`,
}

/** Returns the positions (from 0) of the values that agents on these panels have or have had. */
export async function findKnownValues(
  scope: Scope,
  postgres: Postgres,
  panels: readonly number[],
  sought: readonly SoughtValue[],
): Promise<number[]> {
  const parameters = [sought.map(({ subject }) => subject), sought.map(({ value }) => value), panels]
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<{ number: string }>(client, statement, parameters),
  )
  return rows.map(({ number }) => Number(number) - 1)
}
