import { storeUnavailable } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import type { ClickHouseNode } from '../clickhouse.ts'

/**
 * Runs work that can take minutes, as long as the node responds to pings. A node that loses power or network returns no error:
 * without pings, the caller would wait for the longest timeout.
 */
export async function whileResponsive(
  node: ClickHouseNode,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await ping(node)
  return withPings(node, work, 0)
}

/** A node that is cut off from the network is silent for longer, a busy one is not. */
const silentNodeMs = 10_000

/**
 * Like `whileResponsive`, for work that usually takes milliseconds: it begins without a ping. A busy node that answers late is
 * given more time, because the work may be done by then.
 */
export const unlessSilent = <Result>(
  node: ClickHouseNode,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => withPings(node, work, silentNodeMs)

/** Pings the node while the work runs. Gives the work up if a ping fails and none has succeeded for `silentMs`. */
async function withPings<Result>(
  node: ClickHouseNode,
  work: (signal: AbortSignal) => Promise<Result>,
  silentMs: number,
): Promise<Result> {
  const giveUp = new AbortController()
  let respondedAt = performance.now()
  const listening = setInterval(() => {
    ping(node).then(
      () => (respondedAt = performance.now()),
      (error: unknown) => performance.now() - respondedAt >= silentMs && giveUp.abort(error),
    )
  }, limits.connectTimeoutMs)
  try {
    return await work(giveUp.signal)
  } catch (error) {
    // Throw the reason why the node counts as unavailable, and not the abort error.
    giveUp.signal.throwIfAborted()
    throw error
  } finally {
    clearInterval(listening)
  }
}

/** Nodes that have not responded to the last ping. */
const unresponsive = new WeakSet<ClickHouseNode>()
/**
 * Ping timeout for nodes in `unresponsive`. It is shorter than for other nodes, because jobs ping such a node every second,
 * and delay their statements on the other nodes until the ping ends.
 */
const unresponsiveTimeoutMs = 1_000

async function ping(node: ClickHouseNode): Promise<void> {
  const deadline = AbortSignal.timeout(unresponsive.has(node) ? unresponsiveTimeoutMs : limits.connectTimeoutMs)
  // Uses the HTTP ping instead of a query: a node that runs too many queries is still available.
  const answer = await node.ping({ select: false, abort_signal: deadline })
  if (answer.success) {
    unresponsive.delete(node)
    return
  }
  unresponsive.add(node)
  throw storeUnavailable('ClickHouse', answer.error)
}
