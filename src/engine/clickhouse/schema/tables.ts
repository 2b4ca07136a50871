import type { ClickHouseClient } from '@clickhouse/client'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Retention } from '../../../compile/metric/retention.ts'
import { shardTable, type FactLayout } from '../../../compile/schema/fact-table.ts'

/** What tables follow that no numbered file makes. */
export type Followed = {
  readonly catalog: Catalog
  /** Days results are kept, by test; for ever where it is not named. */
  readonly resultDays: ReadonlyMap<string, number>
}

/** Where the rows are: a Distributed table keeps none. */
export const retentions = (layout: FactLayout, { catalog, resultDays }: Followed): Retention[] =>
  catalog.tests.map(({ key }) => ({
    table: layout === 'single' ? key : shardTable(key),
    column: 'dtime',
    days: resultDays.get(key) ?? null,
  }))

/** A table as a node has it: its engine, and its columns with their types. */
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
