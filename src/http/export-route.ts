import { exportLimits } from '../base/limits.ts'
import { checkIdempotencyKey } from '../check/idempotency-key.ts'
import { checkNoParameters } from '../check/query-parameters.ts'
import type { ExportSource } from '../engine/postgres/exports/exports.ts'
import { readOutcome } from '../engine/postgres/metadata/idempotency.ts'
import { ok } from '../envelope/envelope.ts'
import type { ExportPlan } from '../execute/plan-export.ts'
import { exportHeadersIn, exportIdIn, requestExport } from '../execute/request-export.ts'
import { showExport, waitForExport } from '../execute/show-export.ts'
import { defineRoute, type Route } from './define-route.ts'

export type ExportRouteOptions = {
  readonly path: string
  readonly source: ExportSource
  /** Answer when the file is there, or when it has been waited for long enough. */
  readonly waits: boolean
}

/** Of one organisation in each instance, because each polls PostgreSQL ten times a second. Others are answered at once. */
const waitingMax = 32

/** What is left of the time to the first byte for reading the export once more. Later, and its id would be lost to the caller. */
const answerMs = 2_000

/** The four endpoints that make a file differ in whose body they take and in whether they wait. */
export const exportRoute = ({ path, source, waits }: ExportRouteOptions): Route =>
  defineRoute('data', 'POST', path, 'data:read', async (context, caller, given) => {
    const { body, query, headers, requestId, deadline, admission } = given
    checkNoParameters(query)
    const key = checkIdempotencyKey(headers['idempotency-key'], body, path)
    const { postgres } = context.stores
    // Before anything else: a body that was right when it was first sent may not be any more.
    const earlier = await readOutcome(caller, postgres, key)
    const onPlan = ({ panels, range }: ExportPlan) => admission.beginQuery({ panels, range, isDeferred: true })
    const asked = { source, body, key, requestId, onPlan }
    const outcome = earlier ?? (await requestExport(caller, context, asked))
    const id = exportIdIn(outcome)
    const { waiting } = context.exports
    if (waits && waiting.of(caller) < waitingMax) {
      admission.releaseSlot()
      waiting.enter(caller)
      const waitMs = Math.min(exportLimits.waitMs, deadline.leftMs() - answerMs)
      await waitForExport(caller, postgres, id, waitMs, deadline.signal).finally(() => waiting.leave(caller))
    }
    return { envelope: ok(await showExport(caller, context, id)), headers: exportHeadersIn(outcome) }
  })
