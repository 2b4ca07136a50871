import type { Clock } from '../../base/clock.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { catalog } from '../../catalog/catalog.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { Stores } from '../../engine/stores.ts'
import { rollupTerms, type RollupTerms } from '../../compile/rollup/rollup-terms.ts'
import { maintainRollups } from '../../jobs/rollup/maintain-rollups.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions } from '../config.ts'
import { recordValues } from '../../jobs/record-values.ts'
import { trackTokenUse } from '../../jobs/audit/token-use.ts'
import { reconcileDictionaries } from '../../jobs/dictionaries/reconcile-dictionaries.ts'
import { purgeExpired } from '../../jobs/purge-expired.ts'
import type { Tracing } from '../telemetry/export-traces.ts'
import { openExports } from './open-exports.ts'
import { openLimits } from './open-limits.ts'

type JobParts = {
  readonly stores: Stores
  readonly now: Clock
  readonly observe: Observe
  readonly beginTrace: Tracing['begin']
}

/** Starts the background jobs. They must all be closed before the dictionary connection and the stores. */
export function openJobs(settings: Settings, { stores, now, observe, beginTrace }: JobParts) {
  const { postgres } = stores
  const dictionaries = openClickHouse({
    ...clickHouseOptions(settings, 'DICTIONARY'),
    timeoutMs: limits.dictionaryTimeoutMs,
  })
  return {
    dictionaries,
    tokenUse: trackTokenUse(postgres, observe),
    dictionaryJob: reconcileDictionaries({ postgres, clickhouse: dictionaries, observe }),
    purging: purgeExpired(postgres, settings.BROADGAUGE_AUDIT_DAYS, observe),
    values: openValueJob(settings, postgres, observe),
    rolling: openRollupJob(settings, { postgres, now }, observe),
    queryGuards: openLimits(settings, postgres, observe),
    exports: openExports(settings, stores, observe, beginTrace),
  }
}

/**
 * The rollup job has its own connections, like the job that records values. It does not start if the operator has disabled
 * rollups.
 */
function openRollupJob(
  settings: Settings,
  { postgres, now }: { postgres: Postgres; now: Clock },
  observe: Observe,
): ReturnType<typeof maintainRollups> & { readonly terms: RollupTerms } {
  const terms = rollupTerms(catalog, settings.BROADGAUGE_RETENTION_DAYS)
  if (!settings.BROADGAUGE_ROLLUPS) return { terms, close: async () => {} }
  const options = { ...clickHouseOptions(settings, 'INGEST'), timeoutMs: limits.maintenanceTimeoutMs }
  const job = maintainRollups({ postgres, clickhouse: openClickHouse(options), catalog, terms, now }, observe)
  return { terms, ...job }
}

/**
 * The job has its own connections. So its first run over all results does not delay ingest requests, and ingest requests do
 * not delay it.
 */
const openValueJob = (settings: Settings, postgres: Postgres, observe: Observe): ReturnType<typeof recordValues> =>
  recordValues({
    postgres,
    clickhouse: openClickHouse({ ...clickHouseOptions(settings, 'INGEST'), timeoutMs: limits.maintenanceTimeoutMs }),
    catalog,
    observe,
  })
