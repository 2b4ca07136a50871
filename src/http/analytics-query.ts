import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { newMeter, type AuditEntry, type AuditQuestion, type OpenAudit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { callerLeft } from '../base/fault.ts'
import type { Admission, AdmitQuery } from '../base/fair-limits.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { traced } from '../engine/tracing.ts'
import { isSentWhole } from './observe-requests.ts'

/** What a route tells of its query when it knows it. */
type QuerySubject = Pick<AuditQuestion, 'panels' | 'range'> & {
  /** The export worker asks the engine later: the request needs no query slot. */
  readonly isDeferred?: boolean
}

/** Where questions are written down, and who says when a query may run. */
export type QueryKeepers = { readonly openAudit: OpenAudit; readonly admitQuery: AdmitQuery }

export type AnalyticsQuery = {
  /** Waits for a query slot and opens the audit entry; returns what statements are run with. Once a request. */
  readonly begin: (subject: QuerySubject) => Promise<AwaitedOrigin>
  /** The engine has done its part: its place is for others, however long the caller takes for the answer. */
  readonly leave: () => void
  /** Kept when the question, if there was one, is on disk. */
  readonly durable: () => Promise<void>
}

/** The query of one request: admitted, and in the audit trail with its outcome. */
export function analyticsQuery(
  { openAudit, admitQuery }: QueryKeepers,
  caller: Caller,
  asked: Pick<AuditQuestion, 'endpoint' | 'requestId' | 'traceId' | 'body'>,
  reply: FastifyReply,
  signal: AbortSignal,
  onBegin: () => void,
): AnalyticsQuery {
  const { raw } = reply
  const meter = newMeter()
  let entry: AuditEntry | null = null
  let admission: Admission | null = null
  let isLeftToOthers = false
  let atWork: Promise<unknown> = Promise.resolve()
  const leave = () => {
    admission?.release(meter)
    admission = null
  }
  const keepPlaceUntil = (stopped: Promise<unknown>) => {
    atWork = Promise.allSettled([atWork, stopped])
  }
  const finish = () => {
    // Whoever hangs up and asks again at once would have more run than their share.
    void atWork.then(leave)
    const status = raw.headersSent ? raw.statusCode : null
    // What is run later by somebody else is not known yet, which is not nothing.
    const { rows, bytes, engineMs } = meter
    const cost = isLeftToOthers ? { rows: null, bytes: null, engineMs: null } : { rows, bytes, engineMs }
    entry?.finish({ ...cost, status, complete: isSentWhole(reply) })
  }
  return {
    begin: async ({ panels, range, isDeferred = false }) => {
      if (entry !== null) throw new Error('a request began a second query')
      isLeftToOthers = isDeferred
      onBegin()
      if (!isDeferred) admission = await traced('admit', 'internal', {}, () => admitQuery(caller, signal))
      entry = openAudit(caller, { ...asked, panels, range })
      // A turn later: a stream that is cut learns its own time only then.
      if (raw.destroyed) setImmediate(finish)
      else raw.once('close', () => setImmediate(finish))
      // Whoever reads later does so by what is stored; this request's answer is not what they wait for.
      if (isDeferred) await entry.durable
      const { endpoint, requestId, traceId } = asked
      const { niceness = 0 } = admission ?? {}
      return { endpoint, requestId, traceId, auditKey: entry.key, panels, meter, niceness, keepPlaceUntil, signal }
    },
    leave,
    durable: async () => entry?.durable,
  }
}

/** An answer that is not in the audit trail is not given. Nor is one nobody waits for any more: its rows are let go. */
export async function onceDurable<Answer extends object>(
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
