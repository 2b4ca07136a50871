import { limits } from '../../base/limits.ts'
import type { Postgres } from './postgres.ts'
import { purgeInPortions } from './purge-in-portions.ts'

const statement = {
  name: 'purge-ingest-batches',
  text: 'SELECT purge_ingest_batches($1::interval, $2)::integer AS purged',
}

/** From then on the same batch is a new one. */
export const purgeIngestBatches = (postgres: Postgres): Promise<void> =>
  purgeInPortions(postgres, statement, `${limits.batchDays} days`)
