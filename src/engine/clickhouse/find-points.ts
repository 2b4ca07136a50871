import type { Scope } from '../../base/caller.ts'
import type { Statement } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'
import { logComment, type QueryOrigin } from './log-comment.ts'

/** A row of an answer, in the order of the statement's columns. */
export type PointRow = readonly unknown[]

/** Runs a statement whose answer is bounded. The engine keeps it back until it is whole, so a failure is never half an answer. */
export async function findPoints(
  scope: Scope,
  { nodes: [node] }: ClickHouse,
  { text, params }: Statement,
  origin: QueryOrigin,
): Promise<PointRow[]> {
  if (node === undefined) throw new Error('the engine has no node')
  return speaking(async () => {
    const result = await node.query({
      query: text,
      query_params: params,
      format: 'JSONCompactEachRow',
      clickhouse_settings: { wait_end_of_query: 1, log_comment: logComment(scope, origin) },
    })
    return result.json<PointRow>()
  })
}
