import type { ClickHouseClient } from '@clickhouse/client'
import { type Sql, statement } from '../../../base/sql.ts'
import { addColumn, addIngestedIndex, type FactLayout, ingestedIndexName } from '../../../compile/schema/fact-table.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findTables, type Followed, type PresentTable } from './tables.ts'
import { type WantedTable, wantedTables } from './wanted-tables.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { rowsTable } from '../../../compile/values/value-tables.ts'

type Lack = { readonly change: string; readonly remedy: Sql }

/** Makes one node's fact tables what the catalogue says: creates tables, adds columns, refuses any other difference. */
export async function convergeFactTables(
  node: ClickHouseClient,
  clickhouse: ClickHouse,
  followed: Followed,
  layout: FactLayout,
): Promise<string[]> {
  const lacks = await findLacks(node, clickhouse, followed, layout)
  for (const { remedy } of lacks) await node.command({ query: statement(remedy).text })
  return lacks.map(({ change }) => change)
}

/** Tables and columns a node is without. Everything is judged before anything is answered, and so before a change. */
export async function findLacks(
  node: ClickHouseClient,
  clickhouse: ClickHouse,
  followed: Followed,
  layout: FactLayout,
): Promise<Lack[]> {
  const present = await findTables(node, clickhouse.database)
  const wanted = wantedTables(clickhouse, followed, layout)
  for (const table of wanted) refuseDifference(table, present.get(table.name))
  return wanted.flatMap((table) => lacksOf(clickhouse.database, table, present.get(table.name)))
}

function lacksOf(
  database: string,
  { name, creation, columns }: WantedTable,
  present: PresentTable | undefined,
): Lack[] {
  if (present === undefined) return [{ change: `table ${name}`, remedy: creation }]
  return columns
    .filter((column) => !present.columns.has(column.name))
    .map((column) => ({ change: `column ${name}.${column.name}`, remedy: addColumn(database, name, column) }))
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

/** Gives fact tables of an earlier version the index they would be created with now. */
export async function convergeIndexes(
  node: ClickHouseClient,
  clickhouse: ClickHouse,
  catalog: Catalog,
): Promise<string[]> {
  const missing = await findUnindexed(node, clickhouse, catalog)
  for (const query of missing.flatMap((table) => addIngestedIndex(clickhouse.database, table))) {
    await node.command({ query: statement(query).text })
  }
  return missing.map(indexOf)
}

export const indexOf = (table: string): string => `index ${table}.${ingestedIndexName}`

/** Tables without it, also those that are not there. */
export async function findUnindexed(
  node: ClickHouseClient,
  { database, cluster }: ClickHouse,
  { tests }: Catalog,
): Promise<string[]> {
  const result = await node.query({
    query: `SELECT table FROM system.data_skipping_indices WHERE database = {database:String} AND name = {name:String}`,
    query_params: { database, name: ingestedIndexName },
    format: 'JSONEachRow',
  })
  const present = new Set((await result.json<{ table: string }>()).map(({ table }) => table))
  return tests.map(({ key }) => rowsTable(key, cluster === null)).filter((table) => !present.has(table))
}
