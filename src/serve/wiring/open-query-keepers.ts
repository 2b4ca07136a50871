import type { Observe } from '../../base/observe.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { MountOptions } from '../../http/mount-routes.ts'
import { createQuerySlots, type QuerySlots } from '../../limits/query-slots.ts'
import { limitRate } from '../../limits/rate-limit.ts'
import { createRequestSlots } from '../../limits/request-slots.ts'
import { keepAuditTrail } from '../../jobs/audit/audit-trail.ts'
import type { Settings } from '../config-schema.ts'
import { fairLimits } from '../config.ts'

export type OpenQueryKeepers = Pick<MountOptions, 'rateLimit' | 'queryKeepers' | 'takeRequestSlot'> & {
  /** How many queries this copy has. */
  readonly load: QuerySlots['load']
  close: () => Promise<void>
}

/** Whatever a query meets before the engine: the shares of its caller, what this copy can do, and the audit trail. */
export function openQueryKeepers(settings: Settings, postgres: Postgres, observe: Observe): OpenQueryKeepers {
  const shares = fairLimits(settings)
  const trail = keepAuditTrail(postgres, observe)
  const querySlots = createQuerySlots(postgres, shares, settings.BROADGAUGE_QUERIES_MAX, observe)
  return {
    rateLimit: limitRate(postgres, shares),
    takeRequestSlot: createRequestSlots(),
    queryKeepers: { openAudit: trail.open, admitQuery: querySlots.admit },
    load: querySlots.load,
    close: async () => {
      await Promise.all([trail.close(), querySlots.close()])
    },
  }
}
