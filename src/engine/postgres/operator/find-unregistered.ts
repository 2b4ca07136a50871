import { operate, type Operator } from './operator.ts'

/** Those of the units that no agent is, on whatever panel: neither by its id nor by its unit. */
export async function findUnregistered(operator: Operator, unitIds: readonly string[]): Promise<string[]> {
  const rows = await operate<{ id: string }>(
    operator,
    `SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS given (id, place)
     WHERE NOT EXISTS (SELECT FROM agents WHERE agent_key = identifier_key(given.id) OR unit_id = given.id::bigint)
     ORDER BY place`,
    [unitIds],
  )
  return rows.map(({ id }) => id)
}
