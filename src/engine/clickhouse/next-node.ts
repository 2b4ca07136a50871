import type { ClickHouseClient } from '@clickhouse/client'
import type { ClickHouse } from './clickhouse.ts'

let turn = 0
/** Whoever comes first afterwards tries it again. */
const leftAloneMs = 5_000
/** Until when a node is left alone. */
const away = new WeakMap<ClickHouseClient, number>()

/** As far as is known. */
export const isReachable = (node: ClickHouseClient): boolean => (away.get(node) ?? 0) <= performance.now()

/** Any node answers for the whole cluster; they take turns. */
export function nextNode({ nodes }: Pick<ClickHouse, 'nodes'>): ClickHouseClient {
  turn += 1
  const reachable = nodes.filter(isReachable)
  const among = reachable.length > 0 ? reachable : nodes
  return nodeOf(among[turn % among.length])
}

/** Always the same one, for statements that must see what those before them did. */
export const firstNode = ({ nodes: [first] }: Pick<ClickHouse, 'nodes'>): ClickHouseClient => nodeOf(first)

function nodeOf(node: ClickHouseClient | undefined): ClickHouseClient {
  if (node === undefined) throw new Error('BROADGAUGE_CLICKHOUSE_URL names no node')
  return node
}

/** A connection that never was: the query has been asked of nobody. */
const unreachable = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** Of an error of the connection, or of one that was made of it. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && unreachable.test(String(error.code))) || isUnreachable(error.cause)
}

/**
 * The nodes to ask instead, if this one cannot be reached and there is one that has not been found to be so; else null. This
 * one is not among them: where failing takes longer than a node is left alone, they would be asked in a circle.
 */
export function passOver(clickhouse: ClickHouse, node: ClickHouseClient, error: unknown): ClickHouse | null {
  if (!isUnreachable(error)) return null
  away.set(node, performance.now() + leftAloneMs)
  const others = clickhouse.nodes.filter((one) => one !== node)
  return others.some(isReachable) ? { ...clickhouse, nodes: others } : null
}
