import { randomUUID } from 'node:crypto'
import type { AuditEntry, AuditedQuery, OpenAudit } from '../../base/audit.ts'
import type { Caller } from '../../base/caller.ts'
import { unavailable } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { withoutSecrets } from '../../base/without-secrets.ts'
import { addAuditRecords, type AuditKey, type AuditRecord } from '../../engine/postgres/audit/audit-records.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { groupCommit } from './group-commit.ts'
import { flushRegularly } from '../repeat.ts'

export type AuditTrail = { open: OpenAudit; close: () => Promise<void> }

/**
 * Writes the audit record of a query while the query runs. Records of concurrent queries go into one batch. The outcomes of
 * queries are written once a second.
 */
export function openAuditTrail({ pool }: Postgres, observe: Observe): AuditTrail {
  const write = groupCommit(
    (records: readonly AuditRecord[]) => addAuditRecords(pool, records),
    limits.groupedWritesMax,
  )
  let outcomes: AuditRecord[] = []
  const flush = async () => {
    const written = outcomes
    if (written.length === 0) return
    outcomes = []
    try {
      await addAuditRecords(pool, written)
    } catch (error) {
      outcomes = [...written, ...outcomes].slice(-limits.auditOutcomesMax)
      throw error
    }
  }
  const close = flushRegularly(flush, limits.auditOutcomeFlushMs, (error) =>
    observe({ kind: 'store-error', store: 'audit', error }),
  )
  const open = (caller: Caller, query: AuditedQuery): AuditEntry => {
    const key = { asked_at: now(), id: randomUUID() }
    const durable = write(recordOf(key, caller, query)).catch((error: unknown) => {
      throw unavailable('the audit record could not be written', { cause: error })
    })
    // A request that fails early never awaits `durable`, so mark its rejection as handled.
    durable.catch(() => {})
    return {
      key: JSON.stringify(key),
      durable,
      finish: ({ status, complete, rows, bytes, engineMs: engine_ms }) => {
        if (engine_ms !== null && rows !== null && bytes !== null)
          observe({ kind: 'query-finished', endpoint: query.endpoint, engineMs: engine_ms, rows, bytes })
        outcomes.push({ ...key, finished_at: now(), status, complete, rows, bytes, engine_ms })
      },
    }
  }
  return { open, close }
}

const recordOf = (
  key: AuditKey,
  { organisationId, tokenId }: Caller,
  { endpoint, requestId, traceId, body, panels, range }: AuditedQuery,
): AuditRecord => ({
  ...key,
  organisation: organisationId,
  token: tokenId,
  endpoint,
  request_id: requestId,
  trace_id: traceId,
  body: withoutSecrets(JSON.stringify(body)),
  panels,
  range_clock: range.clock,
  range_from: range.from,
  range_to: range.to,
})

const now = (): string => Temporal.Now.instant().toString({ smallestUnit: 'millisecond' })
