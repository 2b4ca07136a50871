import { operate, type Operator } from './operator.ts'
import { readOrganisation } from './organisations.ts'

/** What an operator searches the audit trail for. Null matches everything. */
type AuditSearch = {
  readonly organisation: string | null
  readonly token: number | null
  readonly requestId: string | null
  readonly traceId: string | null
  readonly endpoint: string | null
  readonly status: number | null
  readonly since: Temporal.Instant
  readonly until: Temporal.Instant
  readonly rowsMax: number
}

type AuditedQuery = Readonly<Record<string, unknown>> & { readonly request_id: string }

export async function findAuditedQueries(operator: Operator, search: AuditSearch): Promise<AuditedQuery[]> {
  const { organisation, token, requestId, traceId, endpoint, status, since, until, rowsMax } = search
  const organisationId = organisation === null ? null : (await readOrganisation(operator, organisation)).id
  return operate<AuditedQuery>(
    operator,
    `SELECT to_char(q.asked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS asked_at,
       coalesce(o.key, organisation::text) AS organisation, token, endpoint, status, complete::integer,
       rows::float8, bytes::float8, engine_ms, range_clock, range_from, range_to, panels, request_id, trace_id, body
     FROM audited_queries q LEFT JOIN organisations o ON o.id = organisation
     WHERE q.asked_at >= $1 AND q.asked_at < $2
       AND ($3::integer IS NULL OR organisation = $3) AND ($4::integer IS NULL OR token = $4)
       AND ($5::text IS NULL OR request_id = $5) AND ($6::text IS NULL OR trace_id = $6)
       AND ($7::text IS NULL OR endpoint = $7) AND ($8::integer IS NULL OR status = $8)
     ORDER BY q.asked_at DESC, q.id LIMIT $9`,
    [String(since), String(until), organisationId, token, requestId, traceId, endpoint, status, rowsMax],
  )
}

export type CallCountRecord = {
  day: string
  organisation: string
  token: number
  endpoint: string
  status: number
  calls: number
}

/** Reads call counts of one organisation or of all. Both days are included. */
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

export type PeopleEvent = {
  happened_at: Date
  organisation: string
  user: string
  event: string
  token: number | null
  request_id: string | null
  address: string | null
}

/** Finds sign-ins, and tokens that users have created or revoked, the newest first. */
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
