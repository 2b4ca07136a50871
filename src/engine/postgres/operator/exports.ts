import { operate, OperatorError, type Operator } from './operator.ts'
import { readOrganisation } from './organisations.ts'

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

export async function findExports(
  operator: Operator,
  { organisation, limit }: { organisation: string | null; limit: number },
): Promise<ListedExport[]> {
  if (organisation !== null) await readOrganisation(operator, organisation)
  return operate(
    operator,
    `SELECT ${columns} FROM exports e JOIN organisations o ON o.id = e.organisation_id
     WHERE $1::text IS NULL OR o.key = $1 ORDER BY e.created_at DESC, e.id LIMIT $2`,
    [organisation, limit],
  )
}

/** Reads all columns of one export. Until the export is finished, these include the request. */
export async function readExportRecord(operator: Operator, id: string): Promise<ListedExport> {
  const [found] = await operate<ListedExport>(
    operator,
    `SELECT ${columns}, e.request, e.summary, e.file_name, e.request_id, e.stored_before, e.failures, e.failure, e.leased_until,
       e.not_before, e.expires_at
     FROM exports e JOIN organisations o ON o.id = e.organisation_id WHERE e.id::text = $1`,
    [id],
  )
  if (found === undefined) throw new OperatorError(`There is no export "${id}"; see: broadgauge export list`)
  return found
}
