import { runSql } from '../../kit/run-sql.ts'
import type { World } from '../../kit/world.ts'

type AuditRecord = { readonly endpoint: string; readonly range_from: string; readonly body: unknown }

/** The audited queries of a world, in the order of their times. The service writes them before it answers. */
export async function readAuditRecords({ superuserUrl }: World): Promise<AuditRecord[]> {
  const rows = await runSql<{ endpoint: string; range_from: string; body: string }>(
    superuserUrl,
    'SELECT endpoint, range_from, body FROM audit_records WHERE endpoint IS NOT NULL ORDER BY asked_at, id',
  )
  return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) as unknown }))
}
