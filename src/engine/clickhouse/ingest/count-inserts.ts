import { bind, sql } from '../../../base/sql.ts'
import { findIn } from '../query/ask.ts'
import type { ClickHouse } from '../clickhouse.ts'

/**
 * Insertions of results that began longer ago than this and are still under way, on all nodes. They are known by their
 * tokens; those of sums and of values of filters have none, and may take an hour.
 */
export async function countInserts({ nodes, database }: ClickHouse, agoMs: number): Promise<number> {
  const running = sql`SELECT toUInt32(count()) AS inserts FROM system.processes
WHERE query_kind = 'Insert' AND elapsed >= ${bind('Float64', agoMs / 1000)} AND position(query, ${bind('String', database)}) > 0
  AND Settings['insert_deduplication_token'] != ''`
  const found = await Promise.all(nodes.map((node) => findIn<{ inserts: number }>(node, running)))
  return found.flat().reduce((all, { inserts }) => all + inserts, 0)
}
