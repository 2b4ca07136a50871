import { randomUUID } from 'node:crypto'
import type { AuditEntry, AuditQuestion, OpenAudit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { Fault } from '../base/fault.ts'
import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { withoutSecrets } from '../base/without-secrets.ts'
import { queueAuditLines } from '../engine/postgres/audit-queue.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { gatherWrites } from '../jobs/gather-writes.ts'
import { keepFlushing } from './keep-flushing.ts'

export type AuditTrail = { open: OpenAudit; close: () => Promise<void> }

/**
 * Writes each question down while its query runs, those of concurrent requests together, and the outcomes once a second.
 * `isOverdue` tells that the way into the engine has been blocked for too long: then no more is promised.
 */
export function keepAuditTrail({ pool }: Postgres, isOverdue: () => boolean, observe: Observe): AuditTrail {
  const write = gatherWrites((lines: readonly string[]) => queueAuditLines(pool, lines), limits.auditQuestionsMax)
  let outcomes: string[] = []
  const flush = async () => {
    const written = outcomes
    if (written.length === 0) return
    outcomes = []
    try {
      await queueAuditLines(pool, written)
    } catch (error) {
      outcomes = [...written, ...outcomes].slice(-limits.auditOutcomesMax)
      throw error
    }
  }
  const close = keepFlushing(flush, limits.auditOutcomeFlushMs, (error) =>
    observe({ kind: 'store-error', store: 'audit', error }),
  )
  const open = (caller: Caller, question: AuditQuestion): AuditEntry => {
    const key = {
      organisation: caller.organisationId,
      asked_at: engineTime(),
      id: randomUUID(),
      panels: question.panels,
    }
    const durable = isOverdue()
      ? Promise.reject(unaudited('audit rows have waited for too long', undefined))
      : write(questionLine(key, caller, question)).catch((error: unknown) => {
          throw unaudited('the audit row could not be written', error)
        })
    // Whoever answers waits for it; a request that fails before does not.
    durable.catch(() => {})
    return {
      key: JSON.stringify(key),
      durable,
      finish: ({ status, complete, rows, bytes, engineMs: engine_ms }) => {
        if (engine_ms !== null && rows !== null && bytes !== null)
          observe({ kind: 'query-finished', endpoint: question.endpoint, engineMs: engine_ms, rows, bytes })
        outcomes.push(JSON.stringify({ ...key, finished_at: engineTime(), status, complete, rows, bytes, engine_ms }))
      },
    }
  }
  return { open, close }
}

function questionLine(
  key: object,
  { tokenId }: Caller,
  { endpoint, requestId, traceId, body, range }: AuditQuestion,
): string {
  return JSON.stringify({
    ...key,
    token: tokenId,
    endpoint,
    request_id: requestId,
    trace_id: traceId,
    body: withoutSecrets(JSON.stringify(body)),
    range_clock: range.clock,
    range_from: range.from,
    range_to: range.to,
  })
}

const unaudited = (detail: string, cause: unknown): Fault =>
  new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '5' }, detail, cause })

/** `2026-01-31 12:00:00.000`, UTC. */
const engineTime = (): string =>
  Temporal.Now.instant().toString({ smallestUnit: 'millisecond' }).replace('T', ' ').replace('Z', '')
