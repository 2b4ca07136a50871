import type { Scope } from '../../../base/caller.ts'
import { storeUnavailable } from '../../../base/fault.ts'
import { identifier, sql, statement, bind, type Statement } from '../../../base/sql.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findPoints } from './find-points.ts'
import type { AwaitedOrigin } from './query-origin.ts'

/** What ClickHouse would have to read for a query. */
type Estimate = { readonly parts: number; readonly rows: number; readonly marks: number }

/**
 * Reads which parts and granules ClickHouse would read for a query, without running it. A node knows only its own shard, so
 * every node is asked. The estimate is the mean of those that answer, times the number of shards: exact, if all shards have
 * the same number of replicas. `test` is a test whose results the query reads.
 */
export async function readEstimate(
  scope: Scope,
  clickhouse: ClickHouse,
  { text, params }: Statement,
  origin: AwaitedOrigin,
  test: string,
): Promise<Estimate> {
  const explain = { text: `EXPLAIN ESTIMATE ${text}`, params }
  const [shards, ...nodes] = await Promise.all([
    readShards(scope, clickhouse, test, origin),
    ...clickhouse.nodes.map((node) =>
      findPoints(scope, { ...clickhouse, nodes: [node] }, explain, origin).catch((error: unknown) => {
        if (clickhouse.nodes.length === 1) throw error
        return null
      }),
    ),
  ])
  const answers = nodes.filter((rows) => rows !== null)
  if (answers.length === 0) throw storeUnavailable('ClickHouse', new Error('no node has given an estimate'))
  const rows = answers.flat()
  const sum = (column: number): number =>
    Math.round((rows.reduce((all, row) => all + Number(row[column]), 0) * shards) / answers.length)
  return { parts: sum(2), rows: sum(3), marks: sum(4) }
}

const known = new WeakMap<ClickHouse, number>()

async function readShards(scope: Scope, clickhouse: ClickHouse, test: string, origin: AwaitedOrigin): Promise<number> {
  const found = known.get(clickhouse)
  if (clickhouse.cluster === null || found !== undefined) return found ?? 1
  // The database users of callers may not read system.clusters. A shard tells how many there are, if it has a result.
  const shards = sql`SELECT shardCount() FROM ${identifier(clickhouse.database)}.${identifier(test)}
WHERE panel IN ${bind('Array(UInt32)', origin.panels)} LIMIT 1`
  const [row] = await findPoints<[number]>(scope, clickhouse, statement(shards), origin)
  if (row !== undefined) known.set(clickhouse, row[0])
  return row?.[0] ?? 1
}
