import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { catalog } from '../../catalog/catalog.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { keepValues } from '../../jobs/value-keeper.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions } from '../config.ts'

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
