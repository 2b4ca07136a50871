import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { compactDictionaries } from '../../src/jobs/dictionaries/reconcile-dictionaries.ts'
import { publishSpeeds } from '../../src/jobs/dictionaries/publish-speeds.ts'
import type { World } from './world.ts'

/** Publishes and compacts all metadata changes and the speeds of packages in ClickHouse now, so that the test needs no running instance. */
export async function settle(world: World): Promise<void> {
  const postgres = openPostgres({
    url: world.environment['BROADGAUGE_POSTGRES_URL'] ?? '',
    connectionsMax: 2,
    observe: () => {},
  })
  const clickhouse = world.engine('DICTIONARY')
  await publishSpeeds({ postgres, clickhouse })
  await compactDictionaries({ postgres, clickhouse, observe: () => {} }, Infinity)
  await postgres.close()
}
