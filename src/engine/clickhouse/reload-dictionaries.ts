import { identifier, sql, statement } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'
import { isUnreachable } from './next-node.ts'

/**
 * Step by step: a timeline may only name spans that are there already. A span stays in its dictionary for an hour after
 * it is no longer named, so the old timeline finds its own too. Names come before the spans that name them.
 * What stands in one step is read at the same time; the large ones are not, because each takes its memory twice meanwhile.
 */
const dictionaryGroups = {
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
export async function reloadDictionaries(
  { nodes, database }: ClickHouse,
  ...groups: readonly DictionaryGroup[]
): Promise<void> {
  const reloaded = await Promise.allSettled(
    nodes.map(async (node) => {
      for (const step of groups.flatMap((group): readonly (readonly string[])[] => dictionaryGroups[group])) {
        await Promise.all(
          step.map((name) => {
            const query = statement(sql`SYSTEM RELOAD DICTIONARY ${identifier(database)}.${identifier(name)}`).text
            return speaking(() => node.command({ query }))
          }),
        )
      }
    }),
  )
  const failures = reloaded.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  // One that is there and could not is worse news than one that is away.
  if (failures.length > 0) throw failures.find((failure) => !isUnreachable(failure)) ?? failures[0]
}
