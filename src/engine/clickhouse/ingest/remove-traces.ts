import { applyMarks, countTrace, removeTrace, type Trace } from '../../../compile/schema/erasure.ts'
import { bind, sql } from '../../../base/sql.ts'
import type { ClickHouse, ClickHouseNode } from '../clickhouse.ts'
import { findByMaintenance, runMaintenance } from './run-maintenance.ts'
import { findIn } from '../query/ask.ts'

/** Counts the rows of an agent, per table, on all nodes. */
export async function countTraces(
  { nodes, database }: ClickHouse,
  traces: readonly Trace[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const trace of traces) {
    const found = await Promise.all(nodes.map((node) => countOn(node, database, trace)))
    counts.set(
      trace.table,
      found.reduce((all, one) => all + one, 0),
    )
  }
  return counts
}

/** Removes the rows of an agent. Skips tables without such rows, because rewriting parts is expensive. */
export async function removeTraces({ nodes, database }: ClickHouse, traces: readonly Trace[]): Promise<void> {
  for (const node of nodes) {
    for (const trace of traces) {
      if ((await countOn(node, database, trace)) > 0) await runMaintenance(node, removeTrace(database, trace))
      if (await hasMarks(node, database, trace)) await runMaintenance(node, applyMarks(database, trace))
    }
  }
}

async function countOn(node: ClickHouseNode, database: string, trace: Trace): Promise<number> {
  const [row] = await findByMaintenance<{ found: number | string }>(node, countTrace(database, trace))
  return Number(row?.found)
}

async function hasMarks(node: ClickHouseNode, database: string, { table }: Trace): Promise<boolean> {
  const marked = sql`SELECT count() AS parts FROM system.parts
WHERE active AND has_lightweight_delete AND database = ${bind('String', database)} AND table = ${bind('String', table)}`
  const [row] = await findByMaintenance<{ parts: number | string }>(node, marked)
  return Number(row?.parts) > 0
}

/**
 * Counts the inserts of results that have run for longer than `agoMs`, on all nodes. Only inserts of results have a
 * deduplication token. Inserts of rollups and of filter values have none, and can take an hour.
 */
export async function countInserts({ nodes, database }: ClickHouse, agoMs: number): Promise<number> {
  const running = sql`SELECT toUInt32(count()) AS inserts FROM system.processes
WHERE query_kind = 'Insert' AND elapsed >= ${bind('Float64', agoMs / 1000)} AND position(query, ${bind('String', database)}) > 0
  AND Settings['insert_deduplication_token'] != ''`
  const found = await Promise.all(nodes.map((node) => findIn<{ inserts: number }>(node, running)))
  return found.flat().reduce((all, { inserts }) => all + inserts, 0)
}
