import type { ClickHouse } from './clickhouse/clickhouse.ts'
import type { Objects } from './objects/objects.ts'
import type { Postgres } from './postgres/postgres.ts'

/** The three stores, as the service uses them. */
export type Stores = {
  readonly postgres: Postgres
  readonly clickhouse: ClickHouse
  /** The engine again, on connections of their own: what needs no place cannot take those of queries that have one. */
  readonly lookups: ClickHouse
  /** The engine again, as the user whose answers stream: other limits, and arrays of JSON. */
  readonly streams: ClickHouse
  readonly objects: Objects
}
