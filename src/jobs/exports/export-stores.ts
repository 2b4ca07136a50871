import type { Observe } from '../../base/observe.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { Objects } from '../../engine/objects/objects.ts'
import type { BeginTrace } from '../../engine/tracing.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'

export type ExportStores = {
  readonly catalog: Catalog
  readonly postgres: Postgres
  /** The engine as the user that may write to the bucket. */
  readonly clickhouse: ClickHouse
  readonly objects: Objects
  readonly observe: Observe
  /** Null: nothing is traced. */
  readonly beginTrace: BeginTrace | null
  /** How long a finished file is kept. */
  readonly days: number
}
