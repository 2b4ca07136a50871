import type { ClickHouseClient } from '@clickhouse/client'
import type { FactLayout } from '../../../compile/schema/fact-table.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { firstNode } from '../next-node.ts'

/**
 * Returns how a node stores results. Throws if the configured addresses are not exactly the nodes of the cluster: a node that
 * is not configured would have no tables, and responses would lack its rows.
 */
export async function checkTopology({ nodes, cluster }: ClickHouse): Promise<FactLayout> {
  const first = firstNode({ nodes })
  if (cluster === null) {
    if (nodes.length > 1)
      throw new Error('if BROADGAUGE_CLICKHOUSE_URL lists several nodes, BROADGAUGE_CLICKHOUSE_CLUSTER is required')
    return 'single'
  }
  const members = await countRows(first, 'SELECT count() FROM system.clusters WHERE cluster = {cluster:String}', {
    cluster,
  })
  if (members !== nodes.length) {
    throw new Error(
      `cluster ${cluster} has ${members} nodes, but BROADGAUGE_CLICKHOUSE_URL lists ${nodes.length}; list every node`,
    )
  }
  return (await hasKeeper(first)) ? 'replicated-shard' : 'shard'
}

/** Returns true if Keeper is configured: only then the table `system.zookeeper` exists. */
const hasKeeper = async (node: ClickHouseClient): Promise<boolean> =>
  (await countRows(node, "SELECT count() FROM system.tables WHERE database = 'system' AND name = 'zookeeper'", {})) > 0

async function countRows(node: ClickHouseClient, query: string, params: Record<string, unknown>): Promise<number> {
  const result = await node.query({ query, query_params: params, format: 'JSONCompactEachRow' })
  const rows = await result.json<[string | number]>()
  return Number(rows[0]?.[0] ?? 0)
}
