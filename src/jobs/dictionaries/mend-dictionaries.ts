import type { Observe } from '../../base/observe.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { findFailedDictionaries } from '../../engine/clickhouse/dictionaries/find-failed-dictionaries.ts'
import { reloadDictionaries } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { tryAdvisoryLock, withAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'

export type DictionaryStores = { postgres: Postgres; clickhouse: ClickHouse; observe: Observe }

/**
 * Loads what a node could not load when a query first asked for it, because PostgreSQL stood still just then. The node
 * does not try again: it would refuse every such query until changes are settled the next time, up to ten minutes later.
 * Nobody settles meanwhile, nor tells while it is about the small ones: they fix what timelines show before they read the
 * spans.
 */
export async function mendDictionaries({ postgres, clickhouse, observe }: DictionaryStores): Promise<void> {
  const { nodes, errors } = await findFailedDictionaries(clickhouse)
  if (nodes.length > 0) {
    await tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
      const failed = await findFailedDictionaries(clickhouse)
      if (failed.nodes.length === 0) return
      const ailing = { ...clickhouse, nodes: failed.nodes }
      await reloadDictionaries(ailing, ...failed.groups.filter((group) => group !== 'small'))
      if (failed.groups.includes('small'))
        await withAdvisoryLock(client, 'publishMetadata', () => reloadDictionaries(ailing, 'small'))
      observe({ kind: 'dictionaries-mended', nodes: failed.nodes.length, groups: failed.groups })
    })
  }
  // A node that cannot be asked keeps none of the others from it.
  if (errors.length > 0) throw errors[0]
}
