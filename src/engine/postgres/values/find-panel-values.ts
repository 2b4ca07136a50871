import type { Scope } from '../../../base/caller.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type NamedStatement, type Postgres } from '../postgres.ts'

/** Where values are looked for: a panel, and what is said of its agents there. */
export type ValuePlace = { readonly panel: number; readonly subject: string }

// A few from each panel, read in the order of the index, and the first of those.
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
  // Not by LIKE: row-level security lets an index be used only by operators that cannot give anything away.
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
