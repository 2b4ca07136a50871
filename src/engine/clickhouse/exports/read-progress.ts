import type { ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'

/**
 * How far the engine has come with any of these statements, 0 to 1. `rows` is what it will read where it does not know that
 * itself. An error when it runs none of them.
 */
export async function readProgress(node: ClickHouseClient, queryIds: readonly string[], rows: number): Promise<number> {
  const result = await node.query({
    query: `SELECT toFloat64(read_rows) AS done, toFloat64(total_rows_approx) AS total
            FROM system.processes WHERE query_id IN {ids:Array(String)}`,
    query_params: { ids: queryIds },
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(limits.readinessTimeoutMs),
  })
  const [row] = await result.json<{ done: number; total: number }>()
  if (row === undefined) throw new Error(`the engine runs no statement ${queryIds.join(' or ')}`)
  const total = row.total > 0 ? row.total : rows
  return total > 0 ? Math.min(row.done / total, 1) : 0
}
