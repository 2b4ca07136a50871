import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { statement, type Sql } from '../../../base/sql.ts'
import { speaking } from '../clickhouse.ts'

/** For statements an operator waits for, over whole tables. */
const settings: ClickHouseSettings = {
  async_insert: 0,
  // Grouped as the table is sorted: memory does not grow with the month.
  optimize_aggregation_in_order: 1,
  // Returns when the rows are gone on every replica.
  lightweight_deletes_sync: '2',
  allow_nondeterministic_mutations: 1,
}

export async function runMaintenance(node: ClickHouseClient, query: Sql): Promise<void> {
  const { text, params } = statement(query)
  await speaking(() => node.command({ query: text, query_params: { ...params }, clickhouse_settings: settings }))
}

export async function findByMaintenance<Row>(node: ClickHouseClient, query: Sql): Promise<Row[]> {
  const { text, params } = statement(query)
  return speaking(async () => {
    const query_params = { ...params }
    const result = await node.query({ query: text, query_params, format: 'JSONEachRow', clickhouse_settings: settings })
    return result.json<Row>()
  })
}
