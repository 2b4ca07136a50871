import type { ClickHouseClient } from '@clickhouse/client'
import type { ClickHouse } from './clickhouse.ts'

let turn = 0

/** Any node answers for the whole cluster; they take turns. */
export function nextNode({ nodes }: ClickHouse): ClickHouseClient {
  turn += 1
  const node = nodes[turn % nodes.length]
  if (node === undefined) throw new Error('BROADGAUGE_CLICKHOUSE_URL names no node')
  return node
}
