import { catalog } from '../catalog/catalog.ts'
import { rollupTable } from '../compile/rollup/rollup-table.ts'
import { rowsTable } from '../compile/values/value-tables.ts'
import { findZones } from '../engine/clickhouse/find-zones.ts'
import { migrateClickHouse } from '../engine/clickhouse/migrate.ts'
import { openClickHouse, type ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { findTables } from '../engine/clickhouse/find-tables.ts'
import { changeLifeCycle } from '../engine/objects/life-cycle.ts'
import { openObjects } from '../engine/objects/objects.ts'
import { fillZones } from '../engine/postgres/fill-zones.ts'
import { migratePostgres, underMigrationLock } from '../engine/postgres/migrate.ts'
import type { Settings } from './config-schema.ts'
import { adminUrl, clickHouseOptions, objectsOptions } from './config.ts'

export type MigrationReport = { postgres: string[]; clickhouse: string[]; objects: string[] }

/** Brings the stores up to date. Safe to run again, and by several at once: one works, the others wait and find it done. */
export async function migrate(settings: Settings): Promise<MigrationReport> {
  const clickhouse = openClickHouse(clickHouseOptions(settings, 'ADMIN'))
  try {
    return await underMigrationLock(adminUrl(settings), async (client) => {
      const postgres = await migratePostgres(client)
      const zones = await fillZones(client, await findZones(clickhouse))
      // First: what PostgreSQL says of sums is about those of another engine, and would be believed.
      if (await hasNoSums(clickhouse)) await client.query(forgetSums)
      return {
        postgres: zones === 0 ? postgres : [...postgres, `${zones} time zones`],
        // After PostgreSQL: the dictionaries read its tables.
        clickhouse: await migrateClickHouse(clickhouse, {
          catalog,
          auditDays: settings.BROADGAUGE_AUDIT_DAYS,
          resultDays: settings.BROADGAUGE_RETENTION_DAYS,
          postgresDatabase: client.database ?? '',
        }),
        objects: await migrateObjects(settings),
      }
    })
  } finally {
    await clickhouse.close()
  }
}

const forgetSums = 'TRUNCATE rollup_days, rollup_panels, rollup_builds, rollup_tests'

async function hasNoSums({ nodes, database, cluster }: ClickHouse): Promise<boolean> {
  const tables = await Promise.all(nodes.map((node) => findTables(node, database)))
  return !tables.some((found) => found.has(rowsTable(rollupTable, cluster === null)))
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
