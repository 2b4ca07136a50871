import type { ClickHouse } from './clickhouse/clickhouse.ts'
import type { Objects } from './objects/objects.ts'
import type { Postgres } from './postgres/postgres.ts'

/** The three stores, as the service uses them. */
export type Stores = { readonly postgres: Postgres; readonly clickhouse: ClickHouse; readonly objects: Objects }
