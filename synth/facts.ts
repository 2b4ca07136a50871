import { identifier, join, sql, type Sql } from '../src/base/sql.ts'
import { circumstances } from './circumstances.ts'
import { valueOf, type Synthesis } from './define-synthesis.ts'
import type { Population } from './options.ts'
import type { Portion } from './portions.ts'
import { adding, addingInLayers } from './select.ts'
import { isWithin, slots, type Destination } from './slots.ts'

/**
 * The SQL that generates a portion of a test's results in ClickHouse. Nested SELECTs compute, from the inside out, the hours at
 * which agents test, their lines, the circumstances of each result, intermediate values, and the columns.
 */
export function writeFacts(synthesis: Synthesis, population: Population, portion: Portion, to: Destination): Sql {
  const { test, steps, parts } = synthesis
  const results = adding(circumstances(synthesis.failures), slots(synthesis, population, portion, to))
  const measured = sql`${addingInLayers(steps, results)}
WHERE ${isWithin(portion)} AND dtime > written_until`
  const rows = parts === undefined ? sql`(${measured})` : sql`(${measured}) ARRAY JOIN ${parts.each} AS part`
  const names = test.columns.map(({ name }) => identifier(name))
  const values = test.columns.map((column) => valueOf(synthesis, column))
  // Just-in-time compilation of these expressions takes longer than it saves. Without the optimisation of chained comparisons,
  // ClickHouse plans the nested SELECTs in half the time.
  return sql`INSERT INTO ${identifier(to.database)}.${identifier(test.key)} (panel, agent, dtime, ${join(names, ', ')})
SELECT panel, agent, dtime,
  ${join(values, ',\n  ')}
FROM ${rows} SETTINGS compile_expressions = 0, optimize_and_compare_chain = 0`
}
