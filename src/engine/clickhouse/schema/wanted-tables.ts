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
  notedFacts,
} from '../../../compile/values/value-tables.ts'
import type { ClickHouse } from '../clickhouse.ts'
import type { Followed } from './tables.ts'

/** A table as the catalogue wants it on a node. */
export type WantedTable = { name: string; engine: RegExp; creation: Sql; columns: readonly StoredColumn[] }

/** Every table that follows the catalogue, rows before their fronts. */
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
  ...[factValues, notedFacts].flatMap((table) =>
    tablesOf(cluster, table.name, table.columns, {
      rows: createValueTable(table, database, layout),
      front: (name) => createDistributedValueTable(table, database, name),
    }),
  ),
]

/**
 * Also what is no fact, because numbered files do not know what a cluster is. Rows first: a Distributed table with a column
 * its shards lack would fail every query.
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
