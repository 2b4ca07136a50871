import { limits } from '../../../base/limits.ts'
import { bind, sql } from '../../../base/sql.ts'
import { findIn } from '../query/ask.ts'
import type { ClickHouse, ClickHouseNode } from '../clickhouse.ts'
import { dictionaryGroups, type DictionaryGroup } from './reload-dictionaries.ts'

/** The nodes that could not load a dictionary when it was first asked for, and the groups those are of. */
export type FailedDictionaries = {
  readonly nodes: readonly ClickHouseNode[]
  readonly groups: readonly DictionaryGroup[]
  /** Of nodes that could not be asked. */
  readonly errors: readonly unknown[]
}

export async function findFailedDictionaries(clickhouse: ClickHouse): Promise<FailedDictionaries> {
  const outcomes = await Promise.allSettled(clickhouse.nodes.map((node) => findFailed(clickhouse.database, node)))
  const failed = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : []))
  return {
    nodes: clickhouse.nodes.filter((_, index) => (failed[index] ?? []).length > 0),
    groups: groupsInOrder.filter((group) =>
      dictionaryGroups[group].flat().some((dictionary) => failed.flat().includes(dictionary)),
    ),
    errors: outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
  }
}

const groupsInOrder = ['names', 'agents', 'large', 'small'] as const satisfies readonly DictionaryGroup[]

async function findFailed(database: string, node: ClickHouseNode): Promise<string[]> {
  const failed = sql`SELECT name FROM system.dictionaries WHERE database = ${bind('String', database)} AND status = 'FAILED'`
  const rows = await findIn<{ name: string }>(node, failed, { signal: AbortSignal.timeout(limits.lookupTimeoutMs) })
  return rows.map(({ name }) => name)
}
