import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { newMeter, type AuditEntry, type AuditedQuery, type OpenAudit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { callerLeft } from '../base/fault.ts'
import type { Admission, AdmitQuery } from '../base/quotas.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { traced } from '../engine/tracing.ts'
import { isSentCompletely } from './observe-requests.ts'

/** What the route knows about the query after it has planned it. */
type QuerySubject = Pick<AuditedQuery, 'panels' | 'range'> & {
  /** True if the export worker runs the query later. The request then needs no query slot. */
  readonly isDeferred?: boolean
  /** What the audit trail records instead of the request, for a request that runs a saved one. */
  readonly audited?: unknown
}

export type QueryGuards = { readonly openAudit: OpenAudit; readonly admitQuery: AdmitQuery }

export type AnalyticsQuery = {
  /**
   * Waits for a query slot, opens the audit entry and returns the origin for the query's statements. Call it once per request.
   */
  readonly begin: (subject: QuerySubject) => Promise<AwaitedOrigin>
  /** Releases the query slot. Call it when ClickHouse has finished, even if the caller still reads the response. */
  readonly leave: () => void
  /** Resolves when the audit entry is on disk, or at once if the request has none. */
  readonly durable: () => Promise<void>
}

/** Admits the analytics query of one request and records it, with its outcome, in the audit trail. */
export function analyticsQuery(
  { openAudit, admitQuery }: QueryGuards,
  caller: Caller,
  asked: Pick<AuditedQuery, 'endpoint' | 'requestId' | 'traceId' | 'body'>,
  reply: FastifyReply,
  signal: AbortSignal,
  onBegin: () => void,
): AnalyticsQuery {
  const { raw } = reply
  const meter = newMeter()
  let entry: AuditEntry | null = null
  let admission: Admission | null = null
  let runsLater = false
  let atWork: Promise<unknown> = Promise.resolve()
  const leave = () => {
    admission?.release(meter)
    admission = null
  }
  const keepSlotUntil = (stopped: Promise<unknown>) => {
    atWork = Promise.allSettled([atWork, stopped])
  }
  const finish = () => {
    // Release the query slot only after ClickHouse has stopped the query. Otherwise a caller that hangs up and retries would
    // run more queries than it has query slots.
    void atWork.then(leave)
    const status = raw.headersSent ? raw.statusCode : null
    // The cost of a query that the export worker runs later is unknown, not 0.
    const { rows, bytes, engineMs } = meter
    const cost = runsLater ? { rows: null, bytes: null, engineMs: null } : { rows, bytes, engineMs }
    entry?.finish({ ...cost, status, complete: isSentCompletely(reply) })
  }
  return {
    begin: async ({ panels, range, isDeferred = false, audited = asked.body }) => {
      if (entry !== null) throw new Error('a request began a second query')
      runsLater = isDeferred
      onBegin()
      if (!isDeferred) admission = await traced('admit', 'internal', {}, () => admitQuery(caller, signal))
      // Call `finish` one turn of the event loop later. An interrupted stream sets `meter.engineMs` in its own `close` event,
      // which can come after that of the connection.
      if (raw.destroyed) setImmediate(finish)
      else raw.once('close', () => setImmediate(finish))
      entry = openAudit(caller, { ...asked, body: audited, panels, range })
      // The export worker later appends its outcome to this entry, so the entry must be stored before the export is created.
      if (isDeferred) await entry.durable
      const { endpoint, requestId, traceId } = asked
      const { niceness = 0 } = admission ?? {}
      return { endpoint, requestId, traceId, auditKey: entry.key, panels, meter, niceness, keepSlotUntil, signal }
    },
    leave,
    durable: async () => entry?.durable,
  }
}

/**
 * Returns the response when its audit entry is on disk. If writing the entry fails, or the caller has left, destroys the
 * response's rows.
 */
export async function onceAudited<Answer extends object>(
  answer: Answer,
  durable: () => Promise<void>,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    await traced('audit', 'internal', {}, durable)
    if (signal.aborted) throw callerLeft()
    return answer
  } catch (error) {
    if ('rows' in answer && answer.rows instanceof Readable) answer.rows.destroy()
    throw error
  }
}
