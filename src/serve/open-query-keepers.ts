import type { Observe } from '../base/observe.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import type { MountOptions } from '../http/mount-routes.ts'
import { moveAuditLines } from '../jobs/audit-mover.ts'
import { createRequestSlots } from '../limits/request-slots.ts'
import { keepAuditTrail } from './audit-trail.ts'
import type { Settings } from './config-schema.ts'
import { fairLimits } from './config.ts'
import { admitQueries, type QueryAdmission } from './query-admission.ts'
import { leaseRequests } from './request-leases.ts'

export type OpenQueryKeepers = Pick<
  MountOptions,
  'requestShares' | 'queryQueues' | 'queryKeepers' | 'takeRequestSlot'
> & {
  /** How many queries this copy has. */
  readonly load: QueryAdmission['load']
  close: () => Promise<void>
}

/** Whatever a query meets before the engine: the shares of its caller, what this copy can do, and the audit trail. */
export function openQueryKeepers(
  settings: Settings,
  stores: { postgres: Postgres; clickhouse: ClickHouse },
  observe: Observe,
): OpenQueryKeepers {
  const { postgres } = stores
  const shares = fairLimits(settings)
  const mover = moveAuditLines(stores, observe)
  const trail = keepAuditTrail(postgres, mover.isOverdue, observe)
  const admission = admitQueries(postgres, shares, settings.BROADGAUGE_QUERIES_MAX, observe)
  return {
    requestShares: leaseRequests(postgres, shares),
    queryQueues: admission,
    takeRequestSlot: createRequestSlots(),
    queryKeepers: { openAudit: trail.open, admitQuery: admission.admit },
    load: admission.load,
    close: async () => {
      await Promise.all([trail.close(), admission.close()])
      await mover.close()
    },
  }
}
