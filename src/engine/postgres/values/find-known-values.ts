import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres } from '../postgres.ts'

/** A value, and where it is looked for: `agent`, `unit`, or a subject of the panels' values. */
export type SoughtValue = { readonly subject: string; readonly value: string }

// One look at an index for each. Not by EXISTS, which may be turned into a pass over everything there is.
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

/** Positions, from 0, of the values that agents on these panels have, or have had. */
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
