import type { Client } from 'pg'

/**
 * Adds the zones that may be given to agents: those both databases know, spelt alike, and Node too. Never removes one:
 * spans name them by number. Answers how many were added.
 */
export async function fillZones(client: Client, knownToEngine: readonly string[]): Promise<number> {
  const result = await client.query(
    `INSERT INTO zones (name)
     SELECT name FROM pg_timezone_names JOIN unnest($1::text[]) AS known (name) USING (name)
     WHERE name NOT IN (SELECT name FROM zones) ORDER BY name`,
    [knownToEngine.filter(isKnownToNode)],
  )
  return result.rowCount ?? 0
}

/** Not judged by `Intl.supportedValuesOf`, which leaves out `UTC`, `Asia/Kolkata` and `US/Eastern`. */
function isKnownToNode(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
