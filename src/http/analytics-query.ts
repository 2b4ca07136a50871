import type { FastifyReply } from 'fastify'
import { newMeter, type AuditEntry, type AuditQuestion, type OpenAudit, type QueryOrigin } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'

/** What a route tells of its query when it knows it. */
type QuerySubject = Pick<AuditQuestion, 'panels' | 'range'>

export type AnalyticsQuery = {
  /** Begins to write the question down, and answers what the engine is to be asked with. Once a request. */
  readonly begin: (subject: QuerySubject) => QueryOrigin
  /** Kept when the question, if there was one, is on disk. */
  readonly durable: () => Promise<void>
}

/** The query of one request in the audit trail, its outcome included. */
export function analyticsQuery(
  openAudit: OpenAudit,
  caller: Caller,
  asked: Pick<AuditQuestion, 'endpoint' | 'requestId' | 'body'>,
  { raw }: FastifyReply,
): AnalyticsQuery {
  const meter = newMeter()
  let entry: AuditEntry | null = null
  const finish = () => {
    const status = raw.headersSent ? raw.statusCode : null
    entry?.finish({ ...meter, status, complete: raw.writableFinished })
  }
  return {
    begin: ({ panels, range }) => {
      if (entry !== null) throw new Error('a request began a second query')
      entry = openAudit(caller, { ...asked, panels, range })
      // A turn later: a stream that is cut learns its own time only then.
      if (raw.destroyed) setImmediate(finish)
      else raw.once('close', () => setImmediate(finish))
      return { endpoint: asked.endpoint, requestId: asked.requestId, panels, meter }
    },
    durable: async () => entry?.durable,
  }
}
