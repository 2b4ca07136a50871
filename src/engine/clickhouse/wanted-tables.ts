import type { Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import {
  createDistributedTable,
  createFactTable,
  shardTable,
  storedColumns,
  type FactLayout,
  type StoredColumn,
} from '../../compile/fact-table.ts'
import { auditColumns, auditTable, createAuditTable, createDistributedAuditTable } from '../../compile/audit-table.ts'
import {
  createDistributedRejectedTable,
  createRejectedTable,
  rejectedColumns,
  rejectedTable,
} from '../../compile/ingest/rejected-table.ts'
import {
  createDistributedRollupTable,
  createRollupTable,
  rollupColumns,
  rollupTable,
} from '../../compile/rollup/rollup-table.ts'
import {
  createDistributedValueTable,
  createValueTable,
  factValues,
  notedFacts,
} from '../../compile/values/value-tables.ts'
import type { ClickHouse } from './clickhouse.ts'

/** A table as the catalogue wants it on a node. */
export type WantedTable = { name: string; engine: RegExp; creation: Sql; columns: readonly StoredColumn[] }

/** Every table that follows the catalogue, rows before their fronts. */
export const wantedTables = (
  { database, cluster }: ClickHouse,
  catalog: Catalog,
  layout: FactLayout,
): WantedTable[] => [
  ...catalog.tests.flatMap((test) => tablesOf(test, database, cluster, layout)),
  ...besideFacts(cluster, rejectedTable, rejectedColumns, {
    rows: createRejectedTable(database, layout),
    front: (name) => createDistributedRejectedTable(database, name),
  }),
  ...besideFacts(cluster, auditTable, auditColumns, {
    rows: createAuditTable(database, layout),
    front: (name) => createDistributedAuditTable(database, name),
  }),
  ...besideFacts(cluster, rollupTable, rollupColumns(catalog, database), {
    rows: createRollupTable(catalog, database, layout),
    front: (name) => createDistributedRollupTable(database, name),
  }),
  ...[factValues, notedFacts].flatMap((table) =>
    besideFacts(cluster, table.name, table.columns, {
      rows: createValueTable(table, database, layout),
      front: (name) => createDistributedValueTable(table, database, name),
    }),
  ),
]

/** Rows first: a Distributed table with a column its shards lack would fail every query. */
function tablesOf(test: TestDefinition, database: string, cluster: string | null, layout: FactLayout): WantedTable[] {
  const columns = storedColumns(test)
  const creation = createFactTable(test, database, layout)
  if (cluster === null) return [{ name: test.key, engine: /MergeTree$/, creation, columns }]
  const front = createDistributedTable(test, database, cluster)
  return [
    { name: shardTable(test.key), engine: /MergeTree$/, creation, columns },
    { name: test.key, engine: /^Distributed$/, creation: front, columns },
  ]
}

/** Laid out like facts, and beside them because numbered files do not know what a cluster is. */
function besideFacts(
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
