import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { noteFacts } from '../engine/clickhouse/values/note-facts.ts'
import { tryAdvisoryLock } from '../engine/postgres/advisory-locks.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { repeat } from './repeat.ts'

export type ValueStores = { postgres: Postgres; clickhouse: ClickHouse; catalog: Catalog; observe: Observe }

/** Keeps the lists of values up with the facts. Every copy of the service has a keeper; one of them at a time works. */
export function keepValues({ postgres, clickhouse, catalog, observe }: ValueStores): { close: () => Promise<void> } {
  const ending = new AbortController()
  const noting = repeat(
    async () =>
      void (await tryAdvisoryLock(postgres, 'recordValues', () => noteFacts(clickhouse, catalog, ending.signal))),
    limits.valuesNoteMs,
    (error) => {
      if (!ending.signal.aborted) observe({ kind: 'store-error', store: 'values', error })
    },
  )
  return {
    close: async () => {
      // The first time over years of facts takes long; a stop does not wait for it.
      ending.abort()
      await noting.close()
      await clickhouse.close()
    },
  }
}
