import { identifier, sql, statement } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

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
} as const

/** Asks every node to read the dictionaries again, and waits until they have. */
export async function reloadDictionaries(
  { nodes, database }: ClickHouse,
  group: keyof typeof dictionaryGroups,
): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      for (const step of dictionaryGroups[group]) {
        await Promise.all(
          step.map((name) => {
            const query = statement(sql`SYSTEM RELOAD DICTIONARY ${identifier(database)}.${identifier(name)}`).text
            return speaking(() => node.command({ query }))
          }),
        )
      }
    }),
  )
}
