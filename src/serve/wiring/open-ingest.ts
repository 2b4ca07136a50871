import type { Clock } from '../../base/clock.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { openClickHouse, type ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import type { WriteBatch } from '../../ingest/batch/batch.ts'
import { batchWriter } from '../../ingest/batch/write-batch.ts'
import type { Settings } from '../config-schema.ts'
import { clickHouseOptions } from '../config.ts'

export type Ingest = {
  readonly write: WriteBatch
  /** A ClickHouse client whose user may insert results. */
  readonly clickhouse: ClickHouse
  readonly close: () => Promise<void>
}

export type IngestParts = {
  postgres: Postgres
  dictionaries: ClickHouse
  now: Clock
  observe: Observe
  /** Maximum time to wait for another process that is storing the same batch. */
  batchWaitMs?: number
}

/** Opens what ingest needs. It uses the ClickHouse user that may insert results. */
export function openIngest(
  settings: Settings,
  { postgres, dictionaries, now, observe, batchWaitMs }: IngestParts,
): Ingest {
  const timeoutMs = limits.batchTimeoutMs + limits.connectTimeoutMs
  const clickhouse = openClickHouse({ ...clickHouseOptions(settings, 'INGEST'), timeoutMs })
  const write = batchWriter({ postgres, clickhouse, dictionaries }, now, batchWaitMs)
  return {
    write: async (scope, batch) => {
      const startedAt = performance.now()
      const { rejections, ...totals } = await write(scope, batch)
      const milliseconds = performance.now() - startedAt
      observe({
        kind: 'batch-stored',
        organisationId: scope.organisationId,
        test: batch.test.key,
        ...totals,
        milliseconds,
      })
      return { ...totals, rejections }
    },
    clickhouse,
    close: clickhouse.close,
  }
}
