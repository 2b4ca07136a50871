import type { Observe } from '../../base/observe.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import type { Objects } from '../../engine/objects/objects.ts'
import type { BeginTrace } from '../../engine/tracing.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'

export type ExportStores = {
  readonly catalog: Catalog
  readonly postgres: Postgres
  /** A ClickHouse client whose user may write to the bucket. */
  readonly clickhouse: ClickHouse
  readonly objects: Objects
  readonly observe: Observe
  /** Null if tracing is off. */
  readonly beginTrace: BeginTrace | null
  /** Number of days for which the service keeps a finished file. */
  readonly days: number
}
