import type { ClickHouseClient } from '@clickhouse/client'
import { statement } from '../../../base/sql.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { addIngestedIndex, ingestedIndexName } from '../../../compile/schema/fact-table.ts'
import { rowsTable } from '../../../compile/values/value-tables.ts'
import type { ClickHouse } from '../clickhouse.ts'

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
