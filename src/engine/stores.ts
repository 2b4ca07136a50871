import type { ClickHouse } from './clickhouse/clickhouse.ts'
import type { Objects } from './objects/objects.ts'
import type { Postgres } from './postgres/postgres.ts'

/** The three stores that the service uses. */
export type Stores = {
  readonly postgres: Postgres
  readonly clickhouse: ClickHouse
  /**
   * Separate connections to ClickHouse for queries that need no query slot. They must not use up the connections of queries
   * that have one. docs/internals/queries.md lists all connections.
   */
  readonly lookups: ClickHouse
  /** Connections to ClickHouse as the user for streamed responses, which has other limits and writes JSON arrays. */
  readonly streams: ClickHouse
  readonly objects: Objects
}
