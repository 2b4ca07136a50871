import { randomUUID } from 'node:crypto'
import type { Scope } from '../../base/caller.ts'
import type { Statement } from '../../base/sql.ts'
import type { ClickHouse } from './clickhouse.ts'
import { toEngineFault } from './engine-fault.ts'
import { callerLeft, logComment, type AwaitedOrigin } from './query-origin.ts'
import { nextNode } from './next-node.ts'
import { stopQuery } from './stop-query.ts'

/** A row of an answer, in the order of the statement's columns. */
export type PointRow = readonly unknown[]

/**
 * Runs a statement whose answer is bounded. The engine keeps it back until it is whole, so a failure is never half an
 * answer. It ends when nobody waits for it any more.
 */
export async function findPoints<Row extends PointRow = PointRow>(
  scope: Scope,
  clickhouse: ClickHouse,
  { text, params }: Statement,
  { signal, ...origin }: AwaitedOrigin,
): Promise<Row[]> {
  // The client listens for the abort only: one that has been is nothing to it.
  if (signal.aborted) throw callerLeft()
  const node = nextNode(clickhouse)
  const queryId = randomUUID()
  try {
    const result = await node.query({
      query: text,
      query_params: params,
      format: 'JSONCompactEachRow',
      query_id: queryId,
      clickhouse_settings: { wait_end_of_query: 1, log_comment: logComment(scope, origin) },
      abort_signal: signal,
    })
    return await result.json<Row>()
  } catch (error) {
    if (!signal.aborted) throw toEngineFault(error)
    await stopQuery(node, queryId)
    throw callerLeft()
  }
}
