import type { Clock } from '../../base/clock.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { catalog } from '../../catalog/catalog.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { Stores } from '../../engine/stores.ts'
import { rollupTerms, type RollupTerms } from '../../compile/rollup/rollup-terms.ts'
import { keepRollups } from '../../jobs/rollup/rollup-keeper.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions } from '../config.ts'
import { keepValues } from '../../jobs/value-keeper.ts'
import { trackTokenUse } from '../../jobs/audit/token-use.ts'
import { keepDictionaries } from '../../jobs/dictionaries/dictionary-keeper.ts'
import { purgeExpired } from '../../jobs/purge-expired.ts'
import type { Tracing } from '../telemetry/export-traces.ts'
import { openExports } from './open-exports.ts'
import { openQueryKeepers } from './open-query-keepers.ts'

type JobParts = {
  readonly stores: Stores
  readonly now: Clock
  readonly observe: Observe
  readonly beginTrace: Tracing['begin']
}

/** What works beside the requests. All but the connection to dictionaries are closed before it and the stores are. */
export function openJobs(settings: Settings, { stores, now, observe, beginTrace }: JobParts) {
  const { postgres } = stores
  const dictionaries = openClickHouse({
    ...clickHouseOptions(settings, 'DICTIONARY'),
    timeoutMs: limits.dictionaryTimeoutMs,
  })
  return {
    dictionaries,
    tokenUse: trackTokenUse(postgres, observe),
    keeper: keepDictionaries({ postgres, clickhouse: dictionaries, observe }),
    purging: purgeExpired(postgres, settings.BROADGAUGE_AUDIT_DAYS, observe),
    values: openValueKeeper(settings, postgres, observe),
    rolling: openRollupKeeper(settings, { postgres, now }, observe),
    queryKeepers: openQueryKeepers(settings, postgres, observe),
    exports: openExports(settings, stores, observe, beginTrace),
  }
}

/** With connections of its own, like the keeper of values. Nothing to close where the operator wants none. */
function openRollupKeeper(
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
const openValueKeeper = (settings: Settings, postgres: Postgres, observe: Observe): ReturnType<typeof keepValues> =>
  keepValues({
    postgres,
    clickhouse: openClickHouse({ ...clickHouseOptions(settings, 'INGEST'), timeoutMs: limits.maintenanceTimeoutMs }),
    catalog,
    observe,
  })
