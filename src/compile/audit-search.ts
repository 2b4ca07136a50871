import { bind, identifier, join, sql, type Sql } from '../base/sql.ts'
import { auditTable } from './audit-table.ts'

/** What an operator looks for; null does not narrow. */
export type AuditSearch = {
  readonly organisation: number | null
  readonly token: number | null
  readonly requestId: string | null
  readonly traceId: string | null
  readonly endpoint: string | null
  readonly status: number | null
  readonly since: Temporal.Instant
  readonly until: Temporal.Instant
  readonly rowsMax: number
}

/** The newest first. FINAL: a question and its outcome may not have become one row yet. */
export function auditSearch(database: string, search: AuditSearch): Sql {
  const wanted: [string, string, unknown][] = [
    ['organisation', 'UInt32', search.organisation],
    ['token', 'UInt32', search.token],
    ['request_id', 'String', search.requestId],
    ['trace_id', 'String', search.traceId],
    ['endpoint', 'String', search.endpoint],
    ['status', 'UInt16', search.status],
  ]
  const conditions = [
    sql`asked_at >= ${bind(utcTime, engineTime(search.since))}`,
    sql`asked_at < ${bind(utcTime, engineTime(search.until))}`,
    ...wanted
      .filter(([, , value]) => value !== null)
      .map(([column, type, value]) => sql`${identifier(column)} = ${bind(type, value)}`),
  ]
  return sql`SELECT asked_at, organisation, token, endpoint, status, complete, rows, bytes, engine_ms,
  range_clock, range_from, range_to, panels, request_id, trace_id, body
FROM ${identifier(database)}.${identifier(auditTable)} FINAL
WHERE ${join(conditions, '\n  AND ')}
ORDER BY asked_at DESC, id
LIMIT ${bind('UInt32', search.rowsMax)}`
}

/** Without a zone the engine would read it in its own, or in that of the session. */
const utcTime = "DateTime64(3, 'UTC')"

const engineTime = (instant: Temporal.Instant): string =>
  instant.toString({ smallestUnit: 'millisecond' }).replace('T', ' ').replace('Z', '')
