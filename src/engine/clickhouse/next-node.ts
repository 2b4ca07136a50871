import type { ClickHouseClient } from '@clickhouse/client'
import type { ClickHouse } from './clickhouse.ts'

let turn = 0
/** How long an unreachable node is skipped. The next query after that tries the node again. */
const skipMs = 5_000
/** The time until which each unreachable node is skipped. */
const skippedUntil = new WeakMap<ClickHouseClient, number>()

/** Returns true if the last attempt to reach the node did not fail, or was longer ago than `skipMs`. */
export const isReachable = (node: ClickHouseClient): boolean => (skippedUntil.get(node) ?? 0) <= performance.now()

/** Returns the reachable nodes in turn (round robin). Any node can answer for the whole cluster. */
export function nextNode({ nodes }: Pick<ClickHouse, 'nodes'>): ClickHouseClient {
  turn += 1
  const reachable = nodes.filter(isReachable)
  const among = reachable.length > 0 ? reachable : nodes
  return nodeOf(among[turn % among.length])
}

/** Always returns the same node, for statements that must see the effects of earlier statements. */
export const firstNode = ({ nodes: [first] }: Pick<ClickHouse, 'nodes'>): ClickHouseClient => nodeOf(first)

function nodeOf(node: ClickHouseClient | undefined): ClickHouseClient {
  if (node === undefined) throw new Error('BROADGAUGE_CLICKHOUSE_URL names no node')
  return node
}

/** System error codes of a connection that was never opened. No node has run the query, so another node may run it. */
const unreachable = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** Checks the error and the chain of its causes. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  // An open connection can time out too, and then the node may be running the query.
  const hasTimedOut = code === 'ETIMEDOUT' && 'syscall' in error && error.syscall === 'connect'
  return hasTimedOut || unreachable.test(code) || isUnreachable(error.cause)
}

/**
 * Returns the other nodes if this node is unreachable and at least one of the others may be reachable; otherwise null. The
 * result never contains this node: an attempt to connect can take longer than a node is skipped, so retries could otherwise
 * alternate between unreachable nodes forever.
 */
export function withoutNode(clickhouse: ClickHouse, node: ClickHouseClient, error: unknown): ClickHouse | null {
  if (!isUnreachable(error)) return null
  skippedUntil.set(node, performance.now() + skipMs)
  const others = clickhouse.nodes.filter((one) => one !== node)
  return others.some(isReachable) ? { ...clickhouse, nodes: others } : null
}
