import type { ClickHouseClient } from '@clickhouse/client'
import { statement } from '../../../base/sql.ts'
import { keepOnDisk, rollupTable } from '../../../compile/rollup/rollup-table.ts'
import { rowsTable } from '../../../compile/values/value-tables.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findTables } from './tables.ts'

const tableOf = ({ cluster }: ClickHouse): string => rowsTable(rollupTable, cluster === null)

/** Whether every node has a table of sums. */
export async function hasSums(clickhouse: ClickHouse): Promise<boolean> {
  const nodes = await Promise.all(clickhouse.nodes.map((node) => findTables(node, clickhouse.database)))
  return nodes.every((tables) => tables.has(tableOf(clickhouse)))
}

/** Gives a table of an earlier version the settings it would be created with now. */
export async function convergeSums(node: ClickHouseClient, clickhouse: ClickHouse): Promise<string[]> {
  const unset = await findUnsetSums(node, clickhouse)
  for (const table of unset) await node.command({ query: statement(keepOnDisk(clickhouse.database, table)).text })
  return unset.map(settingOf)
}

export const settingOf = (table: string): string => `setting ${table}.fsync_after_insert`

/** The table of sums, where it is without them. */
export async function findUnsetSums(node: ClickHouseClient, clickhouse: ClickHouse): Promise<string[]> {
  const { database } = clickhouse
  const table = tableOf(clickhouse)
  const result = await node.query({
    query: `SELECT position(engine_full, 'fsync_after_insert = 1') > 0 AS kept FROM system.tables
            WHERE database = {database:String} AND name = {table:String}`,
    query_params: { database, table },
    format: 'JSONEachRow',
  })
  const [found] = await result.json<{ kept: number }>()
  return found === undefined || found.kept === 1 ? [] : [table]
}
