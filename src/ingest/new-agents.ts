import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { isUnreachable } from '../engine/clickhouse/next-node.ts'
import { reloadDictionaries } from '../engine/clickhouse/reload-dictionaries.ts'
import { findUnsettledEvents } from '../engine/postgres/dictionary-events.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'

/**
 * Makes sure the engine knows every agent that is registered now: results of one registered a moment ago must not be
 * turned away. Usually it does; otherwise the dictionary is read again, once for all who ask meanwhile.
 */
export function agentRefresher(postgres: Postgres, dictionaries: ClickHouse): () => Promise<void> {
  let known = 0n
  let reload: Promise<void> | null = null
  const newest = async () =>
    (await findUnsettledEvents(postgres.pool))
      .filter(({ registration, told }) => registration && !told)
      .reduce((last, { id }) => (BigInt(id) > last ? BigInt(id) : last), 0n)
  return async () => {
    while ((await newest()) > known) {
      // Those that join here may have seen a later event than this reload does: they look again.
      reload ??= (async () => {
        const upTo = await newest()
        // A node that is away judges nothing either; it reads everything anew when it starts.
        await reloadDictionaries(dictionaries, 'agents').catch((error: unknown) => {
          if (!isUnreachable(error)) throw error
        })
        known = upTo
      })().finally(() => (reload = null))
      await reload
    }
  }
}
