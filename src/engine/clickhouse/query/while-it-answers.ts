import { storeAway } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import type { ClickHouseNode } from '../clickhouse.ts'

/**
 * Does work that may take minutes, for as long as the node answers anything at all. One that has lost its power or its
 * network gives no error: it would be waited for as long as for the slowest work there is.
 */
export async function whileItAnswers(
  node: ClickHouseNode,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await hear(node)
  const silence = new AbortController()
  const listening = setInterval(() => {
    hear(node).catch((error: unknown) => silence.abort(error))
  }, limits.connectTimeoutMs)
  try {
    await work(silence.signal)
  } catch (error) {
    // Not that the work was broken off, but why.
    silence.signal.throwIfAborted()
    throw error
  } finally {
    clearInterval(listening)
  }
}

/** Those that did not answer when they were last asked. */
const silent = new WeakSet<ClickHouseNode>()
/** They are asked every second, and all that is to be done at the others waits for their answer. */
const silentTimeoutMs = 1_000

async function hear(node: ClickHouseNode): Promise<void> {
  const deadline = AbortSignal.timeout(silent.has(node) ? silentTimeoutMs : limits.connectTimeoutMs)
  // Not by a query: a node that has too many of them is there.
  const answer = await node.ping({ select: false, abort_signal: deadline })
  if (answer.success) {
    silent.delete(node)
    return
  }
  silent.add(node)
  throw storeAway('ClickHouse', answer.error)
}
