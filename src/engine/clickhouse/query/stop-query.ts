import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client'
import { limits } from '../../../base/limits.ts'

/** The error of a query whose id another query has. ClickHouse waits five seconds until the other one has stopped. */
const isStillRunning = '216'

/**
 * Stops a query by running another query with the same id (`replace_running_query` in the user's profile). Closing the
 * connection is not enough: ClickHouse notices it only while the query reads or writes. Returns true if the query has ended, and
 * false if it still runs or if ClickHouse did not respond.
 */
export async function stopQuery(node: ClickHouseClient, queryId: string): Promise<boolean> {
  const deadline = AbortSignal.timeout(limits.stopTimeoutMs)
  try {
    const result = await node.query({ query: 'SELECT 1', query_id: queryId, format: 'CSV', abort_signal: deadline })
    await result.text()
    return true
  } catch (error) {
    return error instanceof ClickHouseError && error.code !== isStillRunning
  }
}
