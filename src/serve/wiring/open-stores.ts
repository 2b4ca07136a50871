import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { openObjects } from '../../engine/objects/objects.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import type { Stores } from '../../engine/stores.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions, objectsOptions } from '../config.ts'
import { catalog, type Catalog, keeping } from '../../catalog/catalog.ts'

/** Values of filters and the like that one copy asks at a time; the others wait. */
const lookupsMax = 10

/** The stores under the service's own, least rights. Nothing is connected yet, so a store that is away is no obstacle. */
export function openStores(settings: Settings, observe: Observe): Stores {
  return {
    postgres: openPostgres({
      url: settings.BROADGAUGE_POSTGRES_URL,
      connectionsMax: settings.BROADGAUGE_POSTGRES_POOL_MAX,
      observe,
    }),
    clickhouse: openClickHouse({
      ...clickHouseOptions(settings, 'QUERY'),
      // A query that has its place does not wait again for a connection; ten are for ending queries, and for readiness.
      connectionsMax: settings.BROADGAUGE_QUERIES_MAX + 10,
    }),
    lookups: openClickHouse({ ...clickHouseOptions(settings, 'QUERY'), connectionsMax: lookupsMax }),
    // Each slow caller holds a connection for as long as it takes; how many queries may run is the engine's to limit.
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

/** What callers may ask, with how far back. */
export const servedCatalog = (settings: Settings): Catalog => keeping(catalog, settings.BROADGAUGE_RETENTION_DAYS)
