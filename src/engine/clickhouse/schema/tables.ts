import type { ClickHouseClient } from '@clickhouse/client'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Retention } from '../../../compile/metric/retention.ts'
import { shardTable, type FactLayout } from '../../../compile/schema/fact-table.ts'

/** The input for tables that have no numbered file. */
export type Followed = {
  readonly catalog: Catalog
  /** Retention of results in days, by key of the test. Results of other tests are kept forever. */
  readonly resultDays: ReadonlyMap<string, number>
}

/** The retention of each table that has rows. A Distributed table has no rows of its own. */
export const retentions = (layout: FactLayout, { catalog, resultDays }: Followed): Retention[] =>
  catalog.tests.map(({ key }) => ({
    table: layout === 'single' ? key : shardTable(key),
    column: 'dtime',
    days: resultDays.get(key) ?? null,
  }))

/** A table that exists on a node: its engine, and its columns with their types. */
export type PresentTable = { engine: string; columns: Map<string, string> }

export async function findTables(node: ClickHouseClient, database: string): Promise<Map<string, PresentTable>> {
  const result = await node.query({
    query: `
      SELECT t.name AS table, t.engine AS engine, c.name AS column, c.type AS type
      FROM system.tables AS t JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
      WHERE t.database = {database:String}`,
    query_params: { database },
    format: 'JSONEachRow',
  })
  const tables = new Map<string, PresentTable>()
  for (const { table, engine, column, type } of await result.json<
    Record<'table' | 'engine' | 'column' | 'type', string>
  >()) {
    const present = tables.get(table) ?? { engine, columns: new Map<string, string>() }
    present.columns.set(column, type)
    tables.set(table, present)
  }
  return tables
}
