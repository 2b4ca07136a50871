import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { settleEngine } from '../../src/jobs/dictionaries/dictionary-keeper.ts'
import type { World } from './world.ts'

/** Until the engine knows every change of metadata, without waiting for a service to tell it. */
export async function settle(world: World): Promise<void> {
  const postgres = openPostgres({
    url: world.environment['BROADGAUGE_POSTGRES_URL'] ?? '',
    connectionsMax: 2,
    observe: () => {},
  })
  await settleEngine({ postgres, clickhouse: world.engine('DICTIONARY'), observe: () => {} }, Infinity)
  await postgres.close()
}
