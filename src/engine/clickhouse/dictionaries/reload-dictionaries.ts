import { Fault } from '../../../base/fault.ts'
import { bind, identifier, sql, statement } from '../../../base/sql.ts'
import { type ClickHouse, type ClickHouseNode, mapClickHouseErrors } from '../clickhouse.ts'
import { whileResponsive } from '../query/while-responsive.ts'
import { limits } from '../../../base/limits.ts'
import { findIn } from '../query/ask.ts'

/**
 * The dictionaries of each group, in the steps in which they load. A timeline refers to spans, so spans load before timelines.
 * When no timeline refers to a span any more, the span stays in its dictionary for another hour, so that an old timeline still
 * finds its spans. Names load before the spans that use them. The dictionaries of one step load in parallel. The large
 * dictionaries load one by one, because each takes twice its memory while it loads.
 */
export const dictionaryGroups = {
  names: [['isps', 'packages', 'zones']],
  speeds: [['package_speeds']],
  large: [['spans'], ['custom_values'], ['timeline']],
  small: [['spans_recent', 'custom_values_recent'], ['timeline_recent']],
  agents: [['agents'], ['agents_by_key']],
} satisfies Record<string, readonly (readonly string[])[]>

export type DictionaryGroup = keyof typeof dictionaryGroups

/**
 * Reloads the dictionaries on every node and waits until the reloads have ended. If a node is unavailable, the other nodes are
 * still reloaded, and the function throws at the end.
 */
export async function reloadDictionaries(clickhouse: ClickHouse, ...groups: readonly DictionaryGroup[]): Promise<void> {
  const { failures } = await reloadWherePossible(clickhouse, ...groups)
  if (failures.length > 0) throw failures[0]
}

/**
 * Reloads the dictionaries on all nodes that are available. Returns which nodes have reloaded, in the order of the nodes, and
 * the errors of the others, the worst first.
 */
export async function reloadWherePossible(
  { nodes, database }: ClickHouse,
  ...groups: readonly DictionaryGroup[]
): Promise<{ done: boolean[]; failures: unknown[] }> {
  const steps = groups.flatMap((group): readonly (readonly string[])[] => dictionaryGroups[group])
  const reload = (node: ClickHouseNode, name: string, signal: AbortSignal) => {
    const query = statement(sql`SYSTEM RELOAD DICTIONARY ${identifier(database)}.${identifier(name)}`).text
    return mapClickHouseErrors(() => node.command({ query, abort_signal: signal }))
  }
  const outcomes = await Promise.allSettled(
    nodes.map((node) =>
      whileResponsive(node, async (signal) => {
        for (const step of steps) {
          // The client library reacts only to an abort during a request, but the abort can also happen between two steps.
          signal.throwIfAborted()
          await Promise.all(step.map((name) => reload(node, name, signal)))
        }
      }),
    ),
  )
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  return {
    done: outcomes.map(({ status }) => status === 'fulfilled'),
    // An error of a node that responds is worse than a node that is unavailable, so it comes first.
    failures: failures.toSorted((one, other) => Number(one instanceof Fault) - Number(other instanceof Fault)),
  }
}

/** The nodes on which dictionaries have failed to load, and the groups of these dictionaries. */
export type FailedDictionaries = {
  readonly nodes: readonly ClickHouseNode[]
  readonly groups: readonly DictionaryGroup[]
  /** Errors of the nodes that did not respond. */
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

const groupsInOrder = ['names', 'speeds', 'agents', 'large', 'small'] as const satisfies readonly DictionaryGroup[]

async function findFailed(database: string, node: ClickHouseNode): Promise<string[]> {
  const failed = sql`SELECT name FROM system.dictionaries WHERE database = ${bind('String', database)} AND status = 'FAILED'`
  const rows = await findIn<{ name: string }>(node, failed, { signal: AbortSignal.timeout(limits.lookupTimeoutMs) })
  return rows.map(({ name }) => name)
}
