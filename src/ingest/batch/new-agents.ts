import type { ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { isReachable } from '../../engine/clickhouse/next-node.ts'
import { reloadWherePossible } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { findUntoldRegistrations } from '../../engine/postgres/metadata/dictionary-events.ts'
import type { IngestStores } from './batch.ts'

/**
 * Finds the nodes that know every agent that is registered now: results of one registered a moment ago must not be turned
 * away. Usually all do; otherwise the dictionary is read again, once for all who ask meanwhile. A node that could not read
 * it may be running all the same, and judges nothing until the keeper of dictionaries has told it.
 */
export function agentRefresher({
  postgres,
  clickhouse,
  dictionaries,
}: IngestStores): () => Promise<readonly ClickHouseNode[]> {
  const findUntold = () => findUntoldRegistrations(postgres.pool)
  let known = clickhouse.nodes.map((): ReadonlySet<string> => new Set())
  let reload: Promise<void> | null = null
  const readAgain = async () => {
    const ids = new Set((await findUntold()).map(({ id }) => id))
    const { done, failures } = await reloadWherePossible(dictionaries, 'agents')
    known = known.map((before, index) => (done[index] === true ? ids : before))
    if (!done.includes(true)) throw failures[0]
  }
  return async () => {
    for (let attempt = 1; ; attempt += 1) {
      const untold = await findUntold()
      const informed = clickhouse.nodes.filter((_, index) => untold.every(({ id }) => known[index]?.has(id)))
      // When none of them can be reached, another one may have come back meanwhile.
      if (informed.some(isReachable) || (informed.length > 0 && attempt > 1)) return informed
      // Those that join here may have seen a later event than this reload does: they look again.
      reload ??= readAgain().finally(() => (reload = null))
      await reload
    }
  }
}
