import type { ClickHouseClient } from '@clickhouse/client'
import { statement } from '../../../base/sql.ts'
import { dropWhole, keepFor, keepForEver, type Retention } from '../../../compile/metric/retention.ts'
import { keepOnDisk, rollupTable } from '../../../compile/rollup/rollup-table.ts'
import { rowsTable } from '../../../compile/values/value-tables.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findTables } from './tables.ts'

/** Makes tables keep their rows for as long as the configuration says. */
export async function convergeRetention(
  node: ClickHouseClient,
  database: string,
  wanted: readonly Retention[],
): Promise<string[]> {
  const different = await findOtherRetentions(node, database, wanted)
  for (const retention of different) {
    const { table, days } = retention
    const steps =
      days === null ? [keepForEver(database, table)] : [dropWhole(database, table), keepFor(database, retention, days)]
    // Not waited for: the engine goes through what is stored already, which may take hours.
    const settings = { clickhouse_settings: { alter_sync: '0' } }
    for (const step of steps) await node.command({ query: statement(step).text, ...settings })
  }
  return different.map(keeping)
}

export const keeping = ({ table, days }: Retention): string =>
  `${table} keeps its rows ${days === null ? 'for ever' : `for ${days} days`}`

/** Those that a table does not have as they are wanted. */
export async function findOtherRetentions(
  node: ClickHouseClient,
  database: string,
  wanted: readonly Retention[],
): Promise<Retention[]> {
  const present = await findRetentions(node, database)
  return wanted.filter(({ table, days }) => (present.get(table) ?? null) !== days)
}

/** Days by table, of those that have a limit. */
async function findRetentions(node: ClickHouseClient, database: string): Promise<Map<string, number>> {
  const result = await node.query({
    query: `
      SELECT name, toUInt32OrZero(extract(engine_full, ' TTL .*toIntervalDay\\\\((\\\\d+)\\\\)')) AS days
      FROM system.tables WHERE database = {database:String} AND days > 0`,
    query_params: { database },
    format: 'JSONEachRow',
  })
  return new Map((await result.json<{ name: string; days: number }>()).map(({ name, days }) => [name, days]))
}

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
