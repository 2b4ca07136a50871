import { catalog } from '../../catalog/catalog.ts'
import { migrateClickHouse } from '../../engine/clickhouse/schema/migrate.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { changeLifeCycle } from '../../engine/objects/life-cycle.ts'
import { openObjects } from '../../engine/objects/objects.ts'
import { fillZones, migratePostgres, underMigrationLock } from '../../engine/postgres/schema/migrate.ts'
import { deleteRollupRecords } from '../../engine/postgres/rollup/rollup-builds.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions, objectsOptions } from '../config.ts'

export type MigrationReport = { postgres: string[]; clickhouse: string[]; objects: string[] }

/**
 * Migrates all stores. It is idempotent and can run concurrently: one process migrates, the others wait and then have nothing
 * to do.
 */
export async function migrate(settings: Settings): Promise<MigrationReport> {
  const clickhouse = openClickHouse(clickHouseOptions(settings, 'ADMIN'))
  try {
    return await underMigrationLock(adminUrl(settings), async (client) => {
      const postgres = await migratePostgres(client)
      const zones = await fillZones(client)
      return {
        postgres: zones === 0 ? postgres : [...postgres, `${zones} time zones`],
        // Migrate ClickHouse after PostgreSQL: ClickHouse's dictionaries read PostgreSQL's tables.
        clickhouse: await migrateClickHouse(clickhouse, {
          catalog,
          resultDays: settings.BROADGAUGE_RETENTION_DAYS,
          postgresDatabase: client.database ?? '',
          beforeNewRollups: () => deleteRollupRecords(client),
        }),
        objects: await migrateObjects(settings),
      }
    })
  } finally {
    await clickhouse.close()
  }
}

async function migrateObjects(settings: Settings): Promise<string[]> {
  if (!settings.BROADGAUGE_S3_LIFECYCLE) return []
  const objects = openObjects(objectsOptions(settings))
  try {
    return (await changeLifeCycle(objects, settings.BROADGAUGE_EXPORT_DAYS)) ? ['life-cycle rules'] : []
  } finally {
    objects.close()
  }
}
