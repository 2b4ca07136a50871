import { inTransaction, operate, OperatorError, type Operator } from './operator.ts'

export type ListedExport = {
  id: string
  organisation: string
  source: string
  format: string
  status: string
  attempt: number
  progress: number
  rows: number | null
  bytes: number | null
  created_at: Date
  finished_at: Date | null
}

const columns = `e.id, o.key AS organisation, e.source, e.format, e.status, e.attempt, e.progress, e.rows::float8 AS rows,
  e.bytes::float8 AS bytes, e.created_at, e.finished_at`

/** The latest first. */
export const findExports = (
  operator: Operator,
  { organisation, limit }: { organisation: string | null; limit: number },
): Promise<ListedExport[]> =>
  operate(
    operator,
    `SELECT ${columns} FROM exports e JOIN organisations o ON o.id = e.organisation_id
     WHERE $1::text IS NULL OR o.key = $1 ORDER BY e.created_at DESC, e.id LIMIT $2`,
    [organisation, limit],
  )

/** All there is to know about one, its request included. */
export async function readExportRecord(operator: Operator, id: string): Promise<ListedExport & { request: string }> {
  const [found] = await operate<ListedExport & { request: string }>(
    operator,
    `SELECT ${columns}, e.request, e.file_name, e.request_id, e.stored_before, e.failures, e.failure, e.leased_until,
       e.not_before, e.expires_at
     FROM exports e JOIN organisations o ON o.id = e.organisation_id WHERE e.id::text = $1`,
    [id],
  )
  if (found === undefined) throw new OperatorError(`There is no export "${id}"; see: broadgauge export list`)
  return found
}

/**
 * Makes a change by which an organisation may read less than before, if it says so. Which files hold what it has lost cannot
 * be told; they can be asked for again. Those that wait are planned by what it may read then. Once more afterwards: one
 * that was waiting and was planned before the change is being written by now.
 */
export async function withdrawing(
  operator: Operator,
  organisationId: number,
  change: () => Promise<boolean>,
): Promise<void> {
  const withdraw = () => operate(operator, withdrawal, [organisationId])
  const isLess = await inTransaction(operator, async () => {
    const lost = await change()
    if (lost) await withdraw()
    return lost
  })
  if (isLess) await withdraw()
}

const withdrawal = `UPDATE exports SET status = 'cancelled', leased_until = NULL, finished_at = now()
  WHERE organisation_id = $1 AND status IN ('running', 'complete')`
