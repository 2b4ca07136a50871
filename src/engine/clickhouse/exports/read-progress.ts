import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'

/** How far the engine has come with any of these statements, 0 to 1. An error when it runs none of them. */
export async function readProgress(node: ClickHouseClient, queryIds: readonly string[]): Promise<number> {
  const result = await node.query({
    query: `SELECT toFloat64(read_rows) AS done, toFloat64(total_rows_approx) AS total
            FROM system.processes WHERE query_id IN {ids:Array(String)}`,
    query_params: { ids: queryIds },
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(limits.readinessTimeoutMs),
  })
  const [row] = await result.json<{ done: number; total: number }>()
  if (row === undefined) throw new Error(`the engine runs no statement ${queryIds.join(' or ')}`)
  return row.total > 0 ? Math.min(row.done / row.total, 1) : 0
}
