import { limits } from '../../base/limits.ts'
import { findRows, type Postgres } from './postgres.ts'

const statement = { name: 'purge-ingest-batches', text: 'SELECT purge_ingest_batches($1::interval)' }

/** From then on the same batch is a new one. */
export async function purgeIngestBatches({ pool }: Postgres): Promise<void> {
  await findRows(pool, statement, [`${limits.batchDays} days`])
}
