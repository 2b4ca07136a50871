import { limits } from '../../base/limits.ts'
import { findRows, type Postgres } from './postgres.ts'

const statement = {
  name: 'purge-ingest-batches',
  text: 'SELECT purge_ingest_batches($1::interval, $2)::integer AS purged',
}

/** Some tenths of a second's work: a portion is far within the deadline of look-ups, and the next begins where it ended. */
const portionRows = 10_000

/** From then on the same batch is a new one. */
export async function purgeIngestBatches({ pool }: Postgres): Promise<void> {
  const values = [`${limits.batchDays} days`, portionRows]
  for (;;) {
    const [portion] = await findRows<{ purged: number }>(pool, statement, values)
    if (portion === undefined || portion.purged < portionRows) return
  }
}
