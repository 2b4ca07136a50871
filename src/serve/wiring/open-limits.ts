import type { Observe } from '../../base/observe.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { MountOptions } from '../../http/mount-routes.ts'
import { createQuerySlots, type QuerySlots } from '../../limits/query-slots.ts'
import { limitRate } from '../../limits/rate-limit.ts'
import { createRequestSlots } from '../../limits/request-slots.ts'
import { openAuditTrail } from '../../jobs/audit/audit-trail.ts'
import type { Settings } from '../config-schema.ts'
import { quotasOf } from '../config.ts'

export type OpenLimits = Pick<MountOptions, 'rateLimit' | 'queryGuards' | 'takeRequestSlot'> & {
  /** Returns the numbers of running and waiting queries of this instance. */
  readonly load: QuerySlots['load']
  close: () => Promise<void>
}

/**
 * Opens what a query passes before it runs in ClickHouse: its caller's quotas, the limits of this instance, and the audit
 * trail.
 */
export function openLimits(settings: Settings, postgres: Postgres, observe: Observe): OpenLimits {
  const quotas = quotasOf(settings)
  const trail = openAuditTrail(postgres, observe)
  const querySlots = createQuerySlots(postgres, quotas, settings.BROADGAUGE_QUERIES_MAX, observe)
  return {
    rateLimit: limitRate(postgres, quotas),
    takeRequestSlot: createRequestSlots(),
    queryGuards: { openAudit: trail.open, admitQuery: querySlots.admit },
    load: querySlots.load,
    close: async () => {
      await Promise.all([trail.close(), querySlots.close()])
    },
  }
}
