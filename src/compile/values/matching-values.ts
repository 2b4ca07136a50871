import { bind, join, sql, type Sql } from '../../base/sql.ts'
import type { FilterLeaf } from '../../check/metric/filters/filter-tree.ts'
import { ispName, packageName } from '../metric/metadata-as-of.ts'
import { textCondition } from '../metric/filter-condition.ts'

/** The ISPs or packages with these numbers, or texts. */
type Candidates =
  | { readonly kind: 'isp' | 'package'; readonly numbers: readonly number[] }
  | { readonly kind: 'texts'; readonly texts: readonly string[] }

export type MatchQuestion = { readonly leaf: FilterLeaf; readonly candidates: Candidates }

/**
 * Selects one row with a list for each question: the positions, counted from 1, of the candidates that match the filter. So
 * ClickHouse evaluates a pattern once for each name, and not for each result. The statement fails if ClickHouse cannot compile a
 * pattern, also if there are no candidates.
 */
export function findMatching(database: string, questions: readonly MatchQuestion[]): Sql {
  const lists = questions.map(({ leaf, candidates }) => {
    const [list, text] = listOf(database, candidates)
    return sql`arrayFilter((position, k) -> ifNull(${textCondition(leaf, text)}, 0), arrayEnumerate(${list}), ${list})`
  })
  const patterns = questions.flatMap(({ leaf }) => (leaf.type === 'matches' ? leaf.values : []))
  const compiled = patterns.map((pattern) => sql`match('', ${bind('String', pattern)})`)
  // ClickHouse compiles a pattern in a condition only when it evaluates the condition for a value.
  return sql`SELECT [${join(lists, ', ')}] AS found, [${join(compiled, ', ')}] AS compiled`
}

function listOf(database: string, candidates: Candidates): readonly [list: Sql, text: Sql] {
  if (candidates.kind === 'texts') return [sql`${bind('Array(String)', candidates.texts)}`, sql`k`]
  const name = candidates.kind === 'isp' ? ispName : packageName
  return [sql`${bind('Array(UInt32)', candidates.numbers)}`, name(database, sql`k`)]
}

/** Fails if ClickHouse cannot compile the pattern. */
export const compilePattern = (pattern: string): Sql => sql`SELECT match('', ${bind('String', pattern)})`
