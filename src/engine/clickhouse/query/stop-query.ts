import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'

/**
 * Ends a query of our own by running another one under its id (`replace_running_query` in the user's profile). Closing the
 * connection alone is noticed only by a query that reads or writes at that moment. Says whether the engine was listening.
 */
export async function stopQuery(node: ClickHouseClient, queryId: string): Promise<boolean> {
  const deadline = AbortSignal.timeout(limits.stopTimeoutMs)
  try {
    const result = await node.query({ query: 'SELECT 1', query_id: queryId, format: 'CSV', abort_signal: deadline })
    await result.text()
    return true
  } catch (error) {
    return error instanceof ClickHouseError
  }
}
