import { operate, type Operator } from './operator.ts'
import { readOrganisation } from './organisations.ts'

export type PeopleEvent = {
  happened_at: Date
  organisation: string
  user: string
  event: string
  token: number | null
  request_id: string | null
  address: string | null
}

/** Who signed in, and who made or revoked which token; the newest first. */
export async function findPeopleEvents(
  operator: Operator,
  organisation: string | null,
  { since, until }: { since: Temporal.Instant; until: Temporal.Instant },
): Promise<PeopleEvent[]> {
  if (organisation !== null) await readOrganisation(operator, organisation)
  return operate<PeopleEvent>(
    operator,
    `SELECT happened_at, o.key AS organisation, u.name AS "user", kind AS event, token_id AS token, request_id, address
     FROM people_events e JOIN users u ON u.id = e.user_id JOIN organisations o ON o.id = e.organisation_id
     WHERE ($1::text IS NULL OR o.key = $1) AND happened_at >= $2 AND happened_at <= $3 ORDER BY e.id DESC`,
    [organisation, since.toString(), until.toString()],
  )
}
