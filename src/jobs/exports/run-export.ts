import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import { exportLimits } from '../../base/limits.ts'
import type { ClickHouse, ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { nextNode } from '../../engine/clickhouse/next-node.ts'
import { stopQuery } from '../../engine/clickhouse/query/stop-query.ts'
import { completeExport, failExport, retryExport, type ExportJob } from '../../engine/postgres/exports/export-jobs.ts'
import { inSpan } from '../../engine/tracing.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { ExportStores } from './export-stores.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import { sweepExport } from './sweep-exports.ts'
import { LeaseLost, watchAttempt } from './watch-attempt.ts'
import { countingIdOf, queryIdOf, writeFile } from './write-file.ts'

/**
 * Makes one attempt at a claimed export, in the trace of the request that created it. The attempt ends with a file, a retry or
 * a failure.
 */
export async function runExport(stores: ExportStores, job: ExportJob, stopping: AbortSignal): Promise<void> {
  const attributes = { 'broadgauge.organisation': job.organisationId, 'broadgauge.request_id': job.requestId }
  const headers = { traceparent: job.traceparent ?? undefined }
  const span = stores.beginTrace?.(`export of ${job.source}`, 'consumer', attributes, headers) ?? null
  await inSpan(span, () => attempt(stores, job, stopping)).finally(() => span?.end())
}

/** Never rejects: it handles all errors itself. */
async function attempt(stores: ExportStores, job: ExportJob, stopping: AbortSignal): Promise<void> {
  const { postgres, clickhouse, observe, days } = stores
  const startedAt = performance.now()
  const node = nextNode(clickhouse)
  // The worker of the previous attempt may have died while ClickHouse still runs its statements.
  if (job.attempt > 1) await stopStatements(clickhouse.nodes, { ...job, attempt: job.attempt - 1 })
  const watch = watchAttempt(stores, job, node, statementsOf(job))
  const signal = AbortSignal.any([watch.signal, stopping])
  const subject = { organisationId: job.organisationId, exportId: job.id, attempt: job.attempt }
  let hasEnded = true
  try {
    const file = await writeFile(stores, job, node, { ...watch, signal })
    const isOurs = await retryWhileUnavailable(() => completeExport(postgres, job, { ...file, days }), signal)
    if (!isOurs) throw new LeaseLost()
    const { rows, bytes } = file
    observe({ kind: 'export-written', ...subject, rows, bytes, milliseconds: performance.now() - startedAt })
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error
    // This is necessary even if only the connection failed: ClickHouse continues to write without a connection.
    hasEnded = await stopStatements([node], job)
    const isFault = !stopping.aborted && !(reason instanceof LeaseLost)
    if (isFault) observe({ kind: 'export-failed', ...subject, error: reason })
    const give = stopping.aborted ? () => retryExport(postgres, job, null) : () => giveBack(postgres, job, reason)
    // If this update fails, the export returns to the queue when its lease expires.
    if (isFault || stopping.aborted)
      await retryWhileUnavailable(give, stopping).catch((lost: unknown) =>
        observe({ kind: 'store-error', store: 'exports', error: lost }),
      )
  } finally {
    await watch.close()
    if (!hasEnded) await untilStopped(node, job, stopping)
    // If this fails, `sweepExports` removes the objects later.
    await sweepExport(stores, job.id).catch(() => {})
  }
}

const statementsOf = (job: ExportJob): string[] => [queryIdOf(job), countingIdOf(job)]

/** Returns true if no statement of the attempt runs any more. */
async function stopStatements(nodes: ClickHouse['nodes'], job: ExportJob): Promise<boolean> {
  const stopped = await Promise.all(nodes.flatMap((node) => statementsOf(job).map((id) => stopQuery(node, id))))
  return stopped.every(Boolean)
}

/**
 * Waits until the statements have ended, at most `exportLimits.unavailableMs`. ClickHouse stops a statement between two blocks of
 * rows. A statement that ends after the sweep could complete a file that no caller wants, and the file would stay until the next
 * sweep of all objects.
 */
async function untilStopped(node: ClickHouseNode, job: ExportJob, stopping: AbortSignal): Promise<void> {
  const endsAt = performance.now() + exportLimits.unavailableMs
  while (!stopping.aborted && performance.now() < endsAt && !(await stopStatements([node], job)))
    await sleep(exportLimits.progressMs)
}

async function giveBack(postgres: Postgres, job: ExportJob, reason: unknown): Promise<boolean> {
  if (reason instanceof Fault && reason.status < 500) return failExport(postgres, job, failureOf(reason))
  const isLast = job.failures + 1 >= exportLimits.failuresMax
  if (isLast)
    return failExport(
      postgres,
      job,
      'The export could not be written. Request it again later, with another Idempotency-Key or none.',
    )
  return retryExport(postgres, job, exportLimits.retryMs * 2 ** job.failures)
}

/** The error that the caller sees. A request that was valid becomes invalid if a panel or an entitlement is removed later. */
const failureOf = ({ code, message, errors }: Fault): string =>
  code === 'VALIDATION_FAIL' ? `The request is no longer valid: ${Object.keys(errors ?? {}).join(', ')}.` : message
