import type { Sql } from '../../../base/sql.ts'
import {
  createDistributedTable,
  createFactTable,
  shardTable,
  storedColumns,
  type FactLayout,
  type StoredColumn,
} from '../../../compile/schema/fact-table.ts'
import {
  createDistributedRejectedTable,
  createRejectedTable,
  rejectedColumns,
  rejectedTable,
} from '../../../compile/ingest/rejected-table.ts'
import {
  createDistributedRollupTable,
  createRollupTable,
  rollupColumns,
  rollupTable,
} from '../../../compile/rollup/rollup-table.ts'
import {
  createDistributedValueTable,
  createValueTable,
  factValues,
  scannedFacts,
} from '../../../compile/values/value-tables.ts'
import type { ClickHouse } from '../clickhouse.ts'
import type { Followed } from './tables.ts'

/** A table that a node must have according to the catalogue. */
export type WantedTable = { name: string; engine: RegExp; creation: Sql; columns: readonly StoredColumn[] }

/** All tables that depend on the catalogue. A table with rows comes before its Distributed table. */
export const wantedTables = (
  { database, cluster }: ClickHouse,
  { catalog, resultDays }: Followed,
  layout: FactLayout,
): WantedTable[] => [
  ...catalog.tests.flatMap((test) =>
    tablesOf(cluster, test.key, storedColumns(test), {
      rows: createFactTable(test, database, layout, resultDays.get(test.key) ?? null),
      front: (name) => createDistributedTable(test, database, name),
    }),
  ),
  ...tablesOf(cluster, rejectedTable, rejectedColumns, {
    rows: createRejectedTable(database, layout),
    front: (name) => createDistributedRejectedTable(database, name),
  }),
  ...tablesOf(cluster, rollupTable, rollupColumns(catalog, database), {
    rows: createRollupTable(catalog, database, layout),
    front: (name) => createDistributedRollupTable(database, name),
  }),
  ...[factValues, scannedFacts].flatMap((table) =>
    tablesOf(cluster, table.name, table.columns, {
      rows: createValueTable(table, database, layout),
      front: (name) => createDistributedValueTable(table, database, name),
    }),
  ),
]

/**
 * Returns a table, and its Distributed table if there is a cluster. Other tables than those of results use it too, because
 * numbered files cannot create tables of a cluster. The shard table comes first: if a Distributed table had a column that its
 * shards lack, every query would fail.
 */
function tablesOf(
  cluster: string | null,
  name: string,
  columns: readonly StoredColumn[],
  { rows, front }: { rows: Sql; front: (cluster: string) => Sql },
): WantedTable[] {
  const stored = { engine: /MergeTree$/, creation: rows, columns }
  if (cluster === null) return [{ ...stored, name }]
  return [
    { ...stored, name: shardTable(name) },
    { name, engine: /^Distributed$/, creation: front(cluster), columns },
  ]
}
