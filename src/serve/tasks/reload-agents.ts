import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { reloadDictionaries } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { tryAdvisoryLock, withAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { patiently } from './patiently.ts'

const otherwise = 'Somebody else has been loading metadata into ClickHouse for very long: does it answer? Try again.'

/**
 * Has the engine read everything about agents again. While nobody else has it do so: whoever settles or tells fixes what
 * timelines show before the spans are read, and a timeline read here in between would name spans that are not there.
 */
export async function reloadAgents(postgres: Postgres, dictionaries: ClickHouse): Promise<void> {
  const reload = () =>
    tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
      await reloadDictionaries(dictionaries, 'agents', 'large')
      await withAdvisoryLock(client, 'publishMetadata', () => reloadDictionaries(dictionaries, 'small'))
      return true
    })
  await patiently(reload, otherwise)
}
