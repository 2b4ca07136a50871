import { identifier, sql, statement } from '../../base/sql.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/**
 * In this order: a timeline may only name spans that are there already. A span stays in its dictionary for an hour after
 * it is no longer named, so the old timeline finds its own too.
 */
const largeOnes = ['spans', 'custom_values', 'timeline']
const smallOnes = largeOnes.map((name) => `${name}_recent`)

/** Reloaded before the others: a span may only name what is there already. */
const names = ['isps', 'packages', 'zones']

export const dictionaryGroups = {
  names,
  large: largeOnes,
  small: smallOnes,
  agents: ['agents', 'agents_by_key'],
} as const

/** Asks every node to read the dictionaries again, and waits until they have. */
export async function reloadDictionaries(
  { nodes, database }: ClickHouse,
  group: keyof typeof dictionaryGroups,
): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      for (const name of dictionaryGroups[group]) {
        const query = statement(sql`SYSTEM RELOAD DICTIONARY ${identifier(database)}.${identifier(name)}`).text
        await speaking(() => node.command({ query }))
      }
    }),
  )
}
