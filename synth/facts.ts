import { identifier, join, sql, type Sql } from '../src/base/sql.ts'
import { circumstances } from './circumstances.ts'
import { valueOf, type Synthesis } from './define-synthesis.ts'
import type { Population } from './options.ts'
import { adding, addingInLayers } from './select.ts'
import { dateOf, slots, type Destination, type Portion } from './slots.ts'

/**
 * Writes a portion of a panel's results of a test, inside the engine: the hours at which agents test, the line each is on,
 * how it went, what several columns are made of, and the columns.
 */
export function writeFacts(synthesis: Synthesis, population: Population, portion: Portion, to: Destination): Sql {
  const { test, steps, parts } = synthesis
  const results = adding(circumstances, slots(synthesis, population, portion, to))
  const measured = sql`${addingInLayers(steps, results)}
WHERE toDate(dtime) BETWEEN ${dateOf(portion.firstDay)} AND ${dateOf(portion.lastDay)}`
  const rows = parts === undefined ? sql`(${measured})` : sql`(${measured}) ARRAY JOIN ${parts.each} AS part`
  const names = test.columns.map(({ name }) => identifier(name))
  const values = test.columns.map((column) => valueOf(synthesis, column))
  return sql`INSERT INTO ${identifier(to.database)}.${identifier(test.key)} (panel, agent, dtime, ${join(names, ', ')})
SELECT panel, agent, dtime,
  ${join(values, ',\n  ')}
FROM ${rows}`
}
