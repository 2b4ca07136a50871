import { newMeter, type QueryCost } from '../../base/audit.ts'
import { exportFormats } from '../../catalog/export-formats.ts'
import { countRows, writeFile as fileStatement } from '../../compile/export/export-file.ts'
import type { ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { countExport, writeExport } from '../../engine/clickhouse/exports/write-export.ts'
import { logComment } from '../../engine/clickhouse/query/query-origin.ts'
import { exportKey, readObjectBytes } from '../../engine/objects/export-objects.ts'
import type { ExportJob } from '../../engine/postgres/exports/export-jobs.ts'
import { planExport } from '../../execute/plan-export.ts'
import { currentSpan } from '../../engine/tracing.ts'
import type { ExportStores } from './export-stores.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { AttemptWatch } from './watch-attempt.ts'

export type WrittenFile = Readonly<QueryCost>

/** ClickHouse's query ids of the two statements of an attempt. They contain the export's id, so they cannot be guessed. */
export const queryIdOf = ({ id, attempt }: Pick<ExportJob, 'id' | 'attempt'>): string => `${id}-${attempt}`
export const countingIdOf = (job: Pick<ExportJob, 'id' | 'attempt'>): string => `${queryIdOf(job)}-count`

/** Progress of the export when writing is finished. Counting the rows of the file is the smaller part of the work. */
const readBackFrom = 0.9

/** Lets ClickHouse write the file and count its rows. Fails if the counts differ, or if the file's size changes meanwhile. */
export async function writeFile(
  { catalog, postgres, clickhouse, objects }: ExportStores,
  job: ExportJob,
  node: ClickHouseNode,
  { signal, during }: Pick<AttemptWatch, 'signal' | 'during'>,
): Promise<WrittenFile> {
  const format = exportFormats.find(({ key }) => key === job.format)
  if (format === undefined) throw new Error(`there is no format ${job.format}`)
  const stores = { postgres, lookups: clickhouse }
  const planned = { ...job, format, now: job.createdAt }
  const plan = () => retryWhileUnavailable(() => planExport(job, stores, catalog, planned), signal)
  const { panels, erased, rows } = await plan()
  const key = exportKey(objects, job.id, job.attempt, format.key)
  const { requestId } = job
  const traceId = currentSpan()?.traceId ?? null
  const origin = { endpoint: `export of ${job.source}`, requestId, traceId, panels, meter: newMeter() }
  const comment = logComment(job, origin)
  const run = { comment, signal, queryId: queryIdOf(job) }
  const file = fileStatement(key, format, rows(clickhouse.database, job.storedBefore))
  const { written, engineMs } = await during({ from: 0, to: readBackFrom }, () => writeExport(node, file, run))
  const bytes = await readObjectBytes(objects, key)
  const counting = { ...run, queryId: countingIdOf(job) }
  const readingBack = { from: readBackFrom, to: 1, rows: written }
  const counted = await during(readingBack, () => countExport(node, countRows(key, format), counting))
  if (counted !== written) throw new Error(`${written} rows were written to ${key}, and ${counted} are there`)
  if ((await readObjectBytes(objects, key)) !== bytes) throw new Error(`${key} has changed while it was read back`)
  // Writing may take an hour. Check the access again before the caller gets a link: it may have been revoked meanwhile.
  const now = await plan()
  if (!panels.every((panel) => now.panels.includes(panel))) throw new Error(`a panel in ${key} can no longer be read`)
  if (!now.erased.every((agent) => erased.includes(agent))) throw new Error(`an agent in ${key} is being erased`)
  return { rows: written, bytes, engineMs }
}
