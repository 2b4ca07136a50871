import { operate, type Operator } from './operator.ts'
import { readOrganisation } from './organisations.ts'

export type CallCountRecord = {
  day: string
  organisation: string
  token: number
  endpoint: string
  status: number
  calls: number
}

/** Of the days from `since` to `until`, both included; of one organisation, or of all. */
export async function findCallCounts(
  operator: Operator,
  organisation: string | null,
  { since, until }: { since: Temporal.PlainDate; until: Temporal.PlainDate },
): Promise<CallCountRecord[]> {
  if (organisation !== null) await readOrganisation(operator, organisation)
  return operate<CallCountRecord>(
    operator,
    `SELECT day::text, o.key AS organisation, token_id AS token, endpoint, status, calls::float8 AS calls
     FROM api_calls JOIN organisations o ON o.id = organisation_id
     WHERE ($1::text IS NULL OR o.key = $1) AND day BETWEEN $2 AND $3
     ORDER BY day DESC, o.key, token_id, endpoint, status`,
    [organisation, since.toString(), until.toString()],
  )
}
