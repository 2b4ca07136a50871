import type { Scope } from '../../base/caller.ts'
import type { Statement } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/** A row of an answer, in the order of the statement's columns. */
export type PointRow = readonly unknown[]

export type QueryOrigin = { readonly endpoint: string; readonly requestId: string }

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
      clickhouse_settings: { wait_end_of_query: 1, log_comment: comment(scope, origin) },
    })
    return result.json<PointRow>()
  })
}

/** Tells an operator who looks at a running query on whose behalf it runs. */
const comment = ({ organisationId }: Scope, { endpoint, requestId }: QueryOrigin): string =>
  JSON.stringify({ organisation: organisationId, endpoint, request_id: requestId })
