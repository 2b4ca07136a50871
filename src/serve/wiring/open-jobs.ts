import type { Clock } from '../../base/clock.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { catalog } from '../../catalog/catalog.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { openPostgres, type Postgres } from '../../engine/postgres/postgres.ts'
import { rollupTerms, type RollupTerms } from '../../compile/rollup/rollup-terms.ts'
import { keepRollups } from '../../jobs/rollup/rollup-keeper.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions } from '../config.ts'
import { keepValues } from '../../jobs/value-keeper.ts'
import type { RollupStores } from '../../jobs/rollup/build-rollups.ts'

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

/** With connections of its own: the first time through all facts must not wait behind deliveries, nor they behind it. */
export const openValueKeeper = (
  settings: Settings,
  postgres: Postgres,
  observe: Observe,
): ReturnType<typeof keepValues> =>
  keepValues({
    postgres,
    clickhouse: openClickHouse({ ...clickHouseOptions(settings, 'INGEST'), timeoutMs: limits.maintenanceTimeoutMs }),
    catalog,
    observe,
  })

/** What builds and looks at rollups at an operator's command. */
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
