import type { ClickHouseClient } from '@clickhouse/client'
import { statement, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import {
  addColumn,
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
import { findTables, type PresentTable } from './find-tables.ts'

/** A table as the catalogue wants it on a node. */
type WantedTable = { name: string; engine: RegExp; creation: Sql; columns: readonly StoredColumn[] }

/** Makes one node's fact tables what the catalogue says: creates tables, adds columns, refuses any other difference. */
export async function convergeFactTables(
  node: ClickHouseClient,
  { database, cluster }: ClickHouse,
  catalog: Catalog,
  layout: FactLayout,
): Promise<string[]> {
  const present = await findTables(node, database)
  const wanted = [
    ...catalog.tests.flatMap((test) => wantedTables(test, database, cluster, layout)),
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
  // Everything is judged before anything is changed.
  for (const table of wanted) refuseDifference(table, present.get(table.name))
  const changes: string[] = []
  for (const table of wanted) changes.push(...(await convergeTable(node, database, table, present.get(table.name))))
  return changes
}

/** Rows first: a Distributed table with a column its shards lack would fail every query. */
function wantedTables(
  test: TestDefinition,
  database: string,
  cluster: string | null,
  layout: FactLayout,
): WantedTable[] {
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

async function convergeTable(
  node: ClickHouseClient,
  database: string,
  { name, creation, columns }: WantedTable,
  present: PresentTable | undefined,
): Promise<string[]> {
  if (present === undefined) {
    await node.command({ query: statement(creation).text })
    return [`table ${name}`]
  }
  const missing = columns.filter((column) => !present.columns.has(column.name))
  for (const column of missing) await node.command({ query: statement(addColumn(database, name, column)).text })
  return missing.map((column) => `column ${name}.${column.name}`)
}

/** Facts are never rewritten, so what cannot be added to is a matter for the operator. */
function refuseDifference({ name, engine, columns }: WantedTable, present: PresentTable | undefined): void {
  if (present === undefined) return
  if (!engine.test(present.engine)) {
    throw new Error(
      `${name} is a ${present.engine} table: a single node cannot become a cluster, or the other way, in place. ` +
        'Back it up and restore it into an empty database, see docs/backup.md.',
    )
  }
  for (const { name: column, type } of columns) {
    const stored = present.columns.get(column)
    const expected = statement(type).text
    if (stored !== undefined && stored !== expected) {
      throw new Error(`${name}.${column} is ${stored}, the catalogue says ${expected}: facts are never rewritten`)
    }
  }
  const surplus = new Set(present.columns.keys()).difference(new Set(columns.map((column) => column.name)))
  if (surplus.size > 0) {
    throw new Error(
      `${name} has columns the catalogue lacks: ${[...surplus].join(', ')}. Is an older version migrating?`,
    )
  }
}
