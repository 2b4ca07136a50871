import type { ClickHouseClient } from '@clickhouse/client'
import { statement } from '../../../base/sql.ts'
import { dropWhole, keepFor, keepForEver, type Retention } from '../../../compile/metric/retention.ts'

/** Makes the retention of tables match the configuration. */
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
    // The statement does not wait until ClickHouse has applied the TTL to existing parts, which can take hours.
    const settings = { clickhouse_settings: { alter_sync: '0' } }
    for (const step of steps) await node.command({ query: statement(step).text, ...settings })
  }
  return different.map(keeping)
}

export const keeping = ({ table, days }: Retention): string =>
  `${table} keeps its rows ${days === null ? 'for ever' : `for ${days} days`}`

/** Finds the configured retentions that differ from the retentions of the tables. */
export async function findOtherRetentions(
  node: ClickHouseClient,
  database: string,
  wanted: readonly Retention[],
): Promise<Retention[]> {
  const present = await findRetentions(node, database)
  return wanted.filter(({ table, days }) => (present.get(table) ?? null) !== days)
}

/** Returns the retention in days of each table that has a TTL. */
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
