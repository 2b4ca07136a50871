import type { Clock } from '../../base/clock.ts'
import { limits } from '../../base/limits.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { asOperator } from '../../engine/postgres/operator/operator.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import type { ImportStores } from '../../ingest/import/import-file.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions } from '../config.ts'
import { openIngest } from './open-ingest.ts'

const now: Clock = () => Temporal.Now.instant()

/** Opens the stores for storing results with the operator's privileges. */
export async function withImportStores<Result>(
  settings: Settings,
  work: (stores: ImportStores) => Promise<Result>,
): Promise<Result> {
  const url = adminUrl(settings)
  const postgres = openPostgres({ url, connectionsMax: 4, observe: () => {} })
  const timeoutMs = limits.maintenanceTimeoutMs
  const dictionaries = openClickHouse({ ...clickHouseOptions(settings, 'DICTIONARY'), timeoutMs })
  const clickhouse = openClickHouse({ ...clickHouseOptions(settings, 'INGEST'), timeoutMs })
  const batchWaitMs = limits.importBatchWaitMs
  const ingest = openIngest(settings, { postgres, dictionaries, now, observe: () => {}, batchWaitMs })
  try {
    return await asOperator(url, (operator) => work({ operator, clickhouse, write: ingest.write }))
  } finally {
    await Promise.allSettled([postgres.close(), dictionaries.close(), clickhouse.close(), ingest.close()])
  }
}
