import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'
import { statement, type Sql } from '../../../base/sql.ts'
import { speakingAsStore } from '../clickhouse.ts'

export async function findRows<Row>(node: ClickHouseClient, query: Sql): Promise<Row[]> {
  const { text, params } = statement(query)
  return speakingAsStore(async () => {
    const result = await node.query({
      query: text,
      query_params: { ...params },
      format: 'JSONEachRow',
      clickhouse_settings: { transform_null_in: 1, max_execution_time: limits.batchTimeoutMs / 1000 },
    })
    return result.json<Row>()
  })
}
