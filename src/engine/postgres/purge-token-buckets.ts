import type { Postgres } from './postgres.ts'
import { purgeInPortions } from './purge-in-portions.ts'

const statement = {
  name: 'purge-token-buckets',
  text: 'SELECT purge_token_buckets($1::interval, $2)::integer AS purged',
}

/** Each sign-in has a token of its own, and its shares would stay behind. Those of organisations are few. */
export const purgeTokenBuckets = (postgres: Postgres): Promise<void> => purgeInPortions(postgres, statement, '1 day')
