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
  /** True if the route responds when the file is written, or after `exportLimits.waitMs`. False if it responds at once. */
  readonly waits: boolean
}

/**
 * Maximum number of waiting requests of one organisation per instance, because each polls PostgreSQL ten times a second.
 * Further requests get a response at once.
 */
const waitingMax = 32

/**
 * Time reserved before the first-byte deadline to read the export again. A request that misses the deadline gets an error
 * without the export's id.
 */
const answerMs = 2_000

/** Defines one of the four export endpoints. They differ in the request body they accept and in whether they wait. */
export const exportRoute = ({ path, source, waits }: ExportRouteOptions): Route =>
  defineRoute('data', 'POST', path, 'data:read', async (context, caller, given) => {
    const { body, query, headers, requestId, deadline, admission } = given
    checkNoParameters(query)
    const key = checkIdempotencyKey(headers['idempotency-key'], body, path)
    const { postgres } = context.stores
    // Read the stored outcome first: the body of a retry may have become invalid meanwhile.
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
