import { limits } from '../../base/limits.ts'
import { runNamed, type Postgres } from './postgres.ts'

const statement = { name: 'purge-idempotency-keys', text: 'SELECT purge_idempotency_keys($1::interval)' }

export async function purgeIdempotencyKeys({ pool }: Postgres): Promise<void> {
  await runNamed(pool, statement, [`${limits.idempotencyHours} hours`])
}
