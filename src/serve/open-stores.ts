import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import { openClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { openObjects } from '../engine/objects/objects.ts'
import { openPostgres } from '../engine/postgres/postgres.ts'
import type { Stores } from '../engine/stores.ts'
import type { Settings } from './config-schema.ts'
import { clickHouseOptions, objectsOptions } from './config.ts'

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
      // A query that has its place does not wait again for a connection; ten are for what needs no place.
      connectionsMax: settings.BROADGAUGE_QUERIES_MAX + 10,
    }),
    // Each slow caller holds a connection for as long as it takes; how many queries may run is the engine's to limit.
    streams: openClickHouse({
      ...clickHouseOptions(settings, 'STREAM'),
      timeoutMs: limits.streamTimeoutMs,
      connectionsMax: Number.POSITIVE_INFINITY,
    }),
    objects: openObjects(objectsOptions(settings)),
  }
}

export async function closeStores({ postgres, clickhouse, streams, objects }: Stores): Promise<void> {
  objects.close()
  await Promise.allSettled([postgres.close(), clickhouse.close(), streams.close()])
}
