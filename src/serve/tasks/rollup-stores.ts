import { limits } from '../../base/limits.ts'
import { catalog } from '../../catalog/catalog.ts'
import { rollupTerms } from '../../compile/rollup/rollup-terms.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import type { RollupStores } from '../../jobs/rollup/build-rollups.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions } from '../config.ts'

/** Opens the stores for an operator's command that builds or verifies rollups. */
export async function withRollupStores<Result>(
  settings: Settings,
  work: (stores: RollupStores) => Promise<Result>,
): Promise<Result> {
  const clickhouse = openClickHouse({
    ...clickHouseOptions(settings, 'ADMIN'),
    timeoutMs: limits.maintenanceTimeoutMs,
  })
  const postgres = openPostgres({ url: adminUrl(settings), connectionsMax: 3, observe: () => {} })
  const terms = rollupTerms(catalog, settings.BROADGAUGE_RETENTION_DAYS)
  const signal = new AbortController().signal
  try {
    return await work({ postgres, clickhouse, catalog, terms, now: () => Temporal.Now.instant(), signal })
  } finally {
    await Promise.allSettled([clickhouse.close(), postgres.close()])
  }
}
