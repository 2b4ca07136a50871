import { limits } from '../base/limits.ts'
import type { Observe } from '../base/observe.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { recordValuesOfFacts } from '../engine/clickhouse/values/record-facts.ts'
import { tryAdvisoryLock } from '../engine/postgres/advisory-locks.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { repeat } from './repeat.ts'

export type ValueStores = { postgres: Postgres; clickhouse: ClickHouse; catalog: Catalog; observe: Observe }

/**
 * Adds new values of results to the value lists. Every instance runs this job. An advisory lock ensures that only one instance
 * works at a time.
 */
export function recordValues({ postgres, clickhouse, catalog, observe }: ValueStores): { close: () => Promise<void> } {
  const ending = new AbortController()
  const recording = repeat(
    async () =>
      void (await tryAdvisoryLock(postgres, 'recordValues', () =>
        recordValuesOfFacts(clickhouse, catalog, ending.signal),
      )),
    limits.valuesRecordMs,
    (error) => {
      if (!ending.signal.aborted) observe({ kind: 'store-error', store: 'values', error })
    },
  )
  return {
    close: async () => {
      // The first run reads years of results and takes long. Abort it, so that stopping the instance does not wait for it.
      ending.abort()
      await recording.close()
      await clickhouse.close()
    },
  }
}
