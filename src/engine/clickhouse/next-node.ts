import type { ClickHouseClient } from '@clickhouse/client'
import type { ClickHouse } from './clickhouse.ts'

let turn = 0
/** Whoever comes first afterwards tries it again. */
const leftAloneMs = 5_000
/** Until when a node is left alone. */
const away = new WeakMap<ClickHouseClient, number>()

const isLeftAlone = (node: ClickHouseClient): boolean => (away.get(node) ?? 0) > performance.now()

/** Any node answers for the whole cluster; they take turns. */
export function nextNode({ nodes }: ClickHouse): ClickHouseClient {
  turn += 1
  const reachable = nodes.filter((node) => !isLeftAlone(node))
  const among = reachable.length > 0 ? reachable : nodes
  const node = among[turn % among.length]
  if (node === undefined) throw new Error('BROADGAUGE_CLICKHOUSE_URL names no node')
  return node
}

/** A connection that never was: the query has been asked of nobody. */
const unreachable = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** Of an error of the connection, or of one that was made of it. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && unreachable.test(String(error.code))) || isUnreachable(error.cause)
}

/** Whether to ask another node instead: this one cannot be reached, and there is one that has not been found to be so. */
export function passOver({ nodes }: ClickHouse, node: ClickHouseClient, error: unknown): boolean {
  if (!isUnreachable(error)) return false
  away.set(node, performance.now() + leftAloneMs)
  return nodes.some((one) => !isLeftAlone(one))
}
