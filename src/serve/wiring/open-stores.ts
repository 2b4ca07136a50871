import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { openObjects } from '../../engine/objects/objects.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import type { Stores } from '../../engine/stores.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions, objectsOptions } from '../config.ts'
import { catalog, type Catalog, keeping } from '../../catalog/catalog.ts'

/** Maximum number of concurrent lookups of an instance, such as lookups of filter values. Further lookups wait. */
const lookupsMax = 10

/**
 * Opens the stores with users that have only the privileges the service needs. It connects on first use, so it succeeds even if
 * a store is unavailable.
 */
export function openStores(settings: Settings, observe: Observe): Stores {
  return {
    postgres: openPostgres({
      url: settings.BROADGAUGE_POSTGRES_URL,
      connectionsMax: settings.BROADGAUGE_POSTGRES_POOL_MAX,
      observe,
    }),
    clickhouse: openClickHouse({
      ...clickHouseOptions(settings, 'QUERY'),
      // A query that has a slot must not wait for a connection too. Ten more connections are for cancelling queries and for
      // readiness checks.
      connectionsMax: settings.BROADGAUGE_QUERIES_MAX + 10,
    }),
    lookups: openClickHouse({ ...clickHouseOptions(settings, 'QUERY'), connectionsMax: lookupsMax }),
    // The number of connections is not limited, because each slow caller keeps one while it reads. ClickHouse limits the number
    // of running queries.
    streams: openClickHouse({
      ...clickHouseOptions(settings, 'STREAM'),
      timeoutMs: limits.streamTimeoutMs,
      connectionsMax: Number.POSITIVE_INFINITY,
    }),
    objects: openObjects(objectsOptions(settings)),
  }
}

export async function closeStores({ postgres, clickhouse, lookups, streams, objects }: Stores): Promise<void> {
  objects.close()
  await Promise.allSettled([postgres.close(), clickhouse.close(), lookups.close(), streams.close()])
}

/** The catalogue with the operator's retention periods. */
export const servedCatalog = (settings: Settings): Catalog => keeping(catalog, settings.BROADGAUGE_RETENTION_DAYS)
