import type { ClickHouseClient } from '@clickhouse/client'
import { statement } from '../../base/sql.ts'
import { dropWhole, keepFor, keepForEver, type Retention } from '../../compile/retention.ts'

/** Makes tables keep their rows for as long as the configuration says. */
export async function convergeRetention(
  node: ClickHouseClient,
  database: string,
  wanted: readonly Retention[],
): Promise<string[]> {
  const present = await findRetentions(node, database)
  const changes: string[] = []
  for (const retention of wanted) {
    const { table, days } = retention
    if ((present.get(table) ?? null) === days) continue
    const steps =
      days === null ? [keepForEver(database, table)] : [dropWhole(database, table), keepFor(database, retention, days)]
    // Not waited for: the engine goes through what is stored already, which may take hours.
    const settings = { clickhouse_settings: { alter_sync: '0' } }
    for (const step of steps) await node.command({ query: statement(step).text, ...settings })
    changes.push(`${table} keeps its rows ${days === null ? 'for ever' : `for ${days} days`}`)
  }
  return changes
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
