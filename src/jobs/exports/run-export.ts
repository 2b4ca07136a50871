import { Fault } from '../../base/fault.ts'
import { exportLimits } from '../../base/limits.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { nextNode } from '../../engine/clickhouse/next-node.ts'
import { stopQuery } from '../../engine/clickhouse/query/stop-query.ts'
import { completeExport, failExport, retryExport, type ExportJob } from '../../engine/postgres/exports/export-jobs.ts'
import { inSpan } from '../../engine/tracing.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { ExportStores } from './export-stores.ts'
import { onceBack } from './once-back.ts'
import { sweepExport } from './sweep-exports.ts'
import { NotOurs, watchAttempt } from './watch-attempt.ts'
import { countingIdOf, queryIdOf, writeFile } from './write-file.ts'

/** One attempt at an export, from a claim to a file, to the next attempt or to a failure, in the trace of its request. */
export async function runExport(stores: ExportStores, job: ExportJob, stopping: AbortSignal): Promise<void> {
  const attributes = { 'broadgauge.organisation': job.organisationId, 'broadgauge.request_id': job.requestId }
  const headers = { traceparent: job.traceparent ?? undefined }
  const span = stores.beginTrace?.(`export of ${job.source}`, 'consumer', attributes, headers) ?? null
  await inSpan(span, () => attempt(stores, job, stopping)).finally(() => span?.end())
}

/** Never throws. */
async function attempt(stores: ExportStores, job: ExportJob, stopping: AbortSignal): Promise<void> {
  const { postgres, clickhouse, observe, days } = stores
  const startedAt = performance.now()
  const node = nextNode(clickhouse)
  // Whoever had it before may have died and left the engine at work.
  if (job.attempt > 1) await stopStatements(clickhouse.nodes, { ...job, attempt: job.attempt - 1 })
  const watch = watchAttempt(stores, job, node, statementsOf(job))
  const signal = AbortSignal.any([watch.signal, stopping])
  const told = { organisationId: job.organisationId, exportId: job.id, attempt: job.attempt }
  try {
    const file = await writeFile(stores, job, node, { ...watch, signal })
    const isOurs = await onceBack(() => completeExport(postgres, job, { ...file, days }), signal)
    if (!isOurs) throw new NotOurs()
    const { rows, bytes } = file
    observe({ kind: 'export-written', ...told, rows, bytes, milliseconds: performance.now() - startedAt })
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error
    // Also where only the connection has failed: the engine goes on writing without it.
    await stopStatements([node], job)
    const isFault = !stopping.aborted && !(reason instanceof NotOurs)
    if (isFault) observe({ kind: 'export-failed', ...told, error: reason })
    const give = stopping.aborted ? () => retryExport(postgres, job, null) : () => giveBack(postgres, job, reason)
    // Unsaid, it is said by the end of the lease.
    if (isFault || stopping.aborted)
      await onceBack(give, stopping).catch((lost: unknown) =>
        observe({ kind: 'store-error', store: 'exports', error: lost }),
      )
  } finally {
    await watch.close()
    // What cannot be removed now, the sweeper removes later.
    await sweepExport(stores, job.id).catch(() => {})
  }
}

const statementsOf = (job: ExportJob): string[] => [queryIdOf(job), countingIdOf(job)]

const stopStatements = (nodes: ClickHouse['nodes'], job: ExportJob) =>
  Promise.all(nodes.flatMap((node) => statementsOf(job).map((id) => stopQuery(node, id))))

async function giveBack(postgres: Postgres, job: ExportJob, reason: unknown): Promise<boolean> {
  if (reason instanceof Fault && reason.status < 500) return failExport(postgres, job, failureOf(reason))
  const isLast = job.failures + 1 >= exportLimits.failuresMax
  if (isLast) return failExport(postgres, job, 'The export could not be written; ask for it again later.')
  return retryExport(postgres, job, exportLimits.retryMs * 2 ** job.failures)
}

/** What was right when it was asked for may not be any more: a panel, an entitlement. */
const failureOf = ({ code, message, errors }: Fault): string =>
  code === 'VALIDATION_FAIL' ? `The request is no longer valid: ${Object.keys(errors ?? {}).join(', ')}.` : message
