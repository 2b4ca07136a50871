import type { Client } from 'pg'

/**
 * Adds the zones that may be given to agents: those PostgreSQL and Node both know, by PostgreSQL's spelling. The engine need
 * not know them, because queries bring their offsets along. Never removes one: spans name them by number. Answers how many
 * were added.
 */
export async function fillZones(client: Client): Promise<number> {
  const missing = await client.query<{ name: string }>(
    'SELECT name FROM pg_timezone_names WHERE name NOT IN (SELECT name FROM zones)',
  )
  const names = missing.rows.map(({ name }) => name).filter(isKnownToNode)
  const result = await client.query(
    'INSERT INTO zones (name) SELECT name FROM unnest($1::text[]) AS name ORDER BY name',
    [names],
  )
  return result.rowCount ?? 0
}

/** Not judged by `Intl.supportedValuesOf`, which leaves out `UTC`, `Asia/Kolkata` and `US/Eastern`. */
function isKnownToNode(name: string): boolean {
  try {
    return Boolean(Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name))
  } catch {
    return false
  }
}
