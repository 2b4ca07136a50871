import type { Clock } from '../../base/clock.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { catalog } from '../../catalog/catalog.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { rollupTerms, type RollupTerms } from '../../compile/rollup/rollup-terms.ts'
import { keepRollups } from '../../jobs/rollup/rollup-keeper.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions } from '../config.ts'

/** With connections of its own, like the keeper of values. Nothing to close where the operator wants none. */
export function openRollupKeeper(
  settings: Settings,
  { postgres, now }: { postgres: Postgres; now: Clock },
  observe: Observe,
): ReturnType<typeof keepRollups> & { readonly terms: RollupTerms } {
  const terms = rollupTerms(catalog, settings.BROADGAUGE_RETENTION_DAYS)
  if (!settings.BROADGAUGE_ROLLUPS) return { terms, close: async () => {} }
  const options = { ...clickHouseOptions(settings, 'INGEST'), timeoutMs: limits.maintenanceTimeoutMs }
  const keeper = keepRollups({ postgres, clickhouse: openClickHouse(options), catalog, terms, now }, observe)
  return { terms, ...keeper }
}
