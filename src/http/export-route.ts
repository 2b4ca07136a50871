import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '../base/caller.ts'
import { isAway } from '../base/fault.ts'
import { exportLimits } from '../base/export-limits.ts'
import { checkIdempotencyKey } from '../check/idempotency-key.ts'
import { checkNoParameters } from '../check/no-parameters.ts'
import { readExport, type ExportSource } from '../engine/postgres/exports.ts'
import { readOutcome } from '../engine/postgres/idempotency.ts'
import type { ExportPlan } from '../engine/postgres/plan-export.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { ok } from '../envelope/envelope.ts'
import { defineRoute, type Route } from './define-route.ts'
import { showExport } from './show-export.ts'
import { exportHeadersIn, exportIdIn, takeInExport } from './take-in-export.ts'

export type ExportRouteOptions = {
  readonly path: string
  readonly source: ExportSource
  /** Answer when the file is there, or when it has been waited for long enough. */
  readonly waits: boolean
}

/** Of one organisation in each copy, because each asks PostgreSQL ten times a second. Others are answered at once. */
const waitingMax = 32

/** What is left of the time to the first byte for reading the export once more. Later, and its id would be lost to the caller. */
const answerMs = 2_000

/** The four endpoints that make a file differ in whose body they take and in whether they wait. */
export const exportRoute = ({ path, source, waits }: ExportRouteOptions): Route =>
  defineRoute('data', 'POST', path, 'data:read', async (context, caller, given) => {
    const { body, query, headers, requestId, signal, leftMs, beginQuery, releaseSlot } = given
    checkNoParameters(query)
    const key = checkIdempotencyKey(headers['idempotency-key'], body, path)
    const { postgres } = context.stores
    // Before anything else: a body that was right when it was first sent may not be any more.
    const earlier = await readOutcome(caller, postgres, key)
    const onPlan = ({ panels, range }: ExportPlan) => beginQuery({ panels, range, isDeferred: true })
    const asked = { source, body, key, requestId, onPlan }
    const outcome = earlier ?? (await takeInExport(caller, context, asked))
    const id = exportIdIn(outcome)
    const { waiting } = context.exports
    if (waits && waiting.of(caller) < waitingMax) {
      releaseSlot()
      waiting.enter(caller)
      const waitMs = Math.min(exportLimits.waitMs, leftMs() - answerMs)
      await untilWritten(caller, postgres, id, waitMs, signal).finally(() => waiting.leave(caller))
    }
    return { envelope: ok(await showExport(caller, context, id)), headers: exportHeadersIn(outcome) }
  })

/** Any copy of the service may be writing it, so the table is asked. */
export async function untilWritten(
  scope: Scope,
  postgres: Postgres,
  id: string,
  waitMs: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const endsAt = performance.now() + waitMs
  let heardAt = performance.now()
  while (performance.now() < endsAt && !signal.aborted) {
    try {
      const found = await readExport(scope, postgres, id)
      if (found?.status !== 'queued' && found?.status !== 'running') return
      heardAt = performance.now()
    } catch (error) {
      // A caller who is told of a failure asks for another file, while this one is being written.
      if (!isAway(error) || performance.now() - heardAt > exportLimits.awayMs) throw error
    }
    await sleep(exportLimits.waitPollMs)
  }
}
