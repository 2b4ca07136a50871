import type { ClickHouseClient } from '@clickhouse/client'
import { type Sql, statement } from '../../../base/sql.ts'
import { addColumn, type FactLayout } from '../../../compile/schema/fact-table.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findTables, type Followed, type PresentTable } from './tables.ts'
import { type WantedTable, wantedTables } from './wanted-tables.ts'
import { rollupTable } from '../../../compile/rollup/rollup-table.ts'
import { rowsTable } from '../../../compile/values/value-tables.ts'

type Lack = { readonly change: string; readonly remedy: Sql }

/**
 * Makes the tables of a node match the catalogue: creates missing tables and adds missing columns. Throws if a table differs in
 * any other way.
 */
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

/**
 * Finds the tables and columns that a node lacks. Checks all tables before anything is changed, so that after an error nothing
 * has changed.
 */
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

/**
 * Throws if a table differs by more than missing columns. The service never rewrites results, so the operator must resolve the
 * difference.
 */
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

/** Returns true if every node has a rollup table. */
export async function hasRollupTable({ nodes, database, cluster }: ClickHouse): Promise<boolean> {
  const tables = await Promise.all(nodes.map((node) => findTables(node, database)))
  return tables.every((present) => present.has(rowsTable(rollupTable, cluster === null)))
}
