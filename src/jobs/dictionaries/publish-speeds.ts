import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { reloadDictionaries } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { tryAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import { findUnpublishedSpeeds, recordPublishedSpeeds } from '../../engine/postgres/metadata/dictionary-events.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'

/**
 * Reloads the speeds of packages on every node if an import has recorded new ones. If a node is unavailable, the other nodes
 * are still reloaded, and the next run tries again.
 */
export async function publishSpeeds({
  postgres,
  clickhouse,
}: {
  readonly postgres: Postgres
  readonly clickhouse: ClickHouse
}): Promise<void> {
  if ((await findUnpublishedSpeeds(postgres.pool)).length === 0) return
  await tryAdvisoryLock(postgres, 'publishSpeeds', async (client) => {
    // Speeds that are committed after this statement are published by the next run.
    const speeds = await findUnpublishedSpeeds(client)
    if (speeds.length === 0) return
    await reloadDictionaries(clickhouse, 'speeds')
    await recordPublishedSpeeds(client, speeds)
  })
}
