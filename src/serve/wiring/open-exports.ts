import { countByOrganisation } from '../../base/count-by-organisation.ts'
import { exportLimits, limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { BeginTrace } from '../../engine/tracing.ts'
import type { Stores } from '../../engine/stores.ts'
import type { RouteContext } from '../../http/define-route.ts'
import { runExports, type ExportWorker } from '../../jobs/exports/export-worker.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions } from '../config.ts'
import { servedCatalog } from './open-stores.ts'

/** Opens an export worker. It uses the ClickHouse user that writes exports. */
export function openExports(
  settings: Settings,
  { postgres, objects }: Pick<Stores, 'postgres' | 'objects'>,
  observe: Observe,
  beginTrace: BeginTrace | null,
): ExportWorker {
  const timeoutMs = exportLimits.timeoutMs + limits.clientTimeoutMs
  const clickhouse = openClickHouse({
    ...clickHouseOptions(settings, 'EXPORT'),
    timeoutMs,
    // Each export needs three connections: to write, to watch its progress and to stop it. An export that cannot be watched
    // counts as lost.
    connectionsMax: 3 * settings.BROADGAUGE_EXPORTS_MAX + 10,
  })
  const days = settings.BROADGAUGE_EXPORT_DAYS
  const catalog = servedCatalog(settings)
  const stores = { catalog, postgres, clickhouse, objects, observe, beginTrace, days }
  const worker = runExports(stores, {
    atOnceMax: settings.BROADGAUGE_EXPORTS_MAX,
    perOrganisationMax: settings.BROADGAUGE_EXPORTS_PER_ORGANISATION_MAX,
  })
  return {
    poke: worker.poke,
    close: async (drainMs) => {
      await worker.close(drainMs)
      await clickhouse.close()
    },
  }
}

/** What the routes need to know about exports. */
export const exportContext = (settings: Settings, onCreate: () => void): RouteContext['exports'] => ({
  days: settings.BROADGAUGE_EXPORT_DAYS,
  unfinishedMax: settings.BROADGAUGE_EXPORTS_UNFINISHED_MAX,
  waiting: countByOrganisation(),
  onCreate,
})
