import { Fault } from '../../../base/fault.ts'
import { bind, identifier, sql, statement } from '../../../base/sql.ts'
import { type ClickHouse, type ClickHouseNode, speakingAsStore } from '../clickhouse.ts'
import { whileItAnswers } from '../query/while-it-answers.ts'
import { limits } from '../../../base/limits.ts'
import { findIn } from '../query/ask.ts'

/**
 * Step by step: a timeline may only name spans that are there already. A span stays in its dictionary for an hour after
 * it is no longer named, so the old timeline finds its own too. Names come before the spans that name them.
 * What stands in one step is read at the same time; the large ones are not, because each takes its memory twice meanwhile.
 */
export const dictionaryGroups = {
  names: [['isps', 'packages', 'zones']],
  large: [['spans'], ['custom_values'], ['timeline']],
  small: [['spans_recent', 'custom_values_recent'], ['timeline_recent']],
  agents: [['agents'], ['agents_by_key']],
} satisfies Record<string, readonly (readonly string[])[]>

export type DictionaryGroup = keyof typeof dictionaryGroups

/**
 * Asks every node to read the dictionaries again, and waits until they have. A node that is away keeps none of the others
 * from it; that it was is thrown when they are done.
 */
export async function reloadDictionaries(clickhouse: ClickHouse, ...groups: readonly DictionaryGroup[]): Promise<void> {
  const { failures } = await reloadWherePossible(clickhouse, ...groups)
  if (failures.length > 0) throw failures[0]
}

/** Whether each node has read them again, in the order of the nodes, and what went wrong at the others, the worst first. */
export async function reloadWherePossible(
  { nodes, database }: ClickHouse,
  ...groups: readonly DictionaryGroup[]
): Promise<{ done: boolean[]; failures: unknown[] }> {
  const steps = groups.flatMap((group): readonly (readonly string[])[] => dictionaryGroups[group])
  const reload = (node: ClickHouseNode, name: string, signal: AbortSignal) => {
    const query = statement(sql`SYSTEM RELOAD DICTIONARY ${identifier(database)}.${identifier(name)}`).text
    return speakingAsStore(() => node.command({ query, abort_signal: signal }))
  }
  const outcomes = await Promise.allSettled(
    nodes.map((node) =>
      whileItAnswers(node, async (signal) => {
        for (const step of steps) {
          // The client listens for the abort only, and it may have come between two steps.
          signal.throwIfAborted()
          await Promise.all(step.map((name) => reload(node, name, signal)))
        }
      }),
    ),
  )
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  return {
    done: outcomes.map(({ status }) => status === 'fulfilled'),
    // One that is there and could not is worse news than one that is away.
    failures: failures.toSorted((one, other) => Number(one instanceof Fault) - Number(other instanceof Fault)),
  }
}

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
