import type { ClickHouseNode } from '../../engine/clickhouse/clickhouse.ts'
import { isReachable } from '../../engine/clickhouse/next-node.ts'
import { reloadWherePossible } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { findUnpublishedRegistrations } from '../../engine/postgres/metadata/dictionary-events.ts'
import type { IngestStores } from './batch.ts'

/**
 * Returns a function that finds the nodes whose dictionary contains every registered agent. A batch must not reject results of
 * an agent that was registered just now. Usually all nodes have all agents. Otherwise the function reloads the dictionary, once
 * for all concurrent batches. A node that cannot reload may still run. It gets no batches until the reconciler has published
 * the registrations to it.
 */
export function nodesWithAgents({
  postgres,
  clickhouse,
  dictionaries,
}: IngestStores): () => Promise<readonly ClickHouseNode[]> {
  const findUnpublished = () => findUnpublishedRegistrations(postgres.pool)
  let known = clickhouse.nodes.map((): ReadonlySet<string> => new Set())
  let reload: Promise<void> | null = null
  const reloadAgents = async () => {
    const ids = new Set((await findUnpublished()).map(({ id }) => id))
    const { done, failures } = await reloadWherePossible(dictionaries, 'agents')
    known = known.map((before, index) => (done[index] === true ? ids : before))
    if (!done.includes(true)) throw failures[0]
  }
  return async () => {
    for (let attempt = 1; ; attempt += 1) {
      const unpublished = await findUnpublished()
      const informed = clickhouse.nodes.filter((_, index) => unpublished.every(({ id }) => known[index]?.has(id)))
      // If no node that has all agents is reachable, reload once: another node may be available again.
      if (informed.some(isReachable) || (informed.length > 0 && attempt > 1)) return informed
      // A batch may have seen an event that a running reload does not include. So after waiting for the reload, it checks
      // again.
      reload ??= reloadAgents().finally(() => (reload = null))
      await reload
    }
  }
}
