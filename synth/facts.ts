import { identifier, join, sql, type Sql } from '../src/base/sql.ts'
import { circumstances } from './circumstances.ts'
import { valueOf, type Synthesis } from './define-synthesis.ts'
import type { Population } from './options.ts'
import type { Portion } from './portions.ts'
import { addingInLayers, needed } from './select.ts'
import { isWithin, slots, type Destination } from './slots.ts'

/**
 * The SQL that generates a portion of a test's results in ClickHouse. Nested SELECTs compute, from the inside out, the hours at
 * which agents test, their lines, the circumstances of each result, intermediate values, and the columns.
 */
export function writeFacts(synthesis: Synthesis, population: Population, portion: Portion, to: Destination): Sql {
  const { test, parts } = synthesis
  const values = test.columns.map((column) => valueOf(synthesis, column))
  const used = [sql`dtime`, ...values, ...(parts === undefined ? [] : [parts.each])]
  const columns = needed({ ...circumstances(synthesis), ...synthesis.steps }, used)
  const results = addingInLayers(
    columns,
    slots(synthesis, population, portion, to, [...used, ...Object.values(columns)]),
  )
  const measured = sql`${results}
WHERE ${isWithin(portion)} AND dtime > written_until`
  const rows = parts === undefined ? sql`(${measured})` : sql`(${measured}) ARRAY JOIN ${parts.each} AS part`
  const names = test.columns.map(({ name }) => identifier(name))
  // Most of the time of a small portion is planning. These settings halve it: ClickHouse compiles nothing just in time, and does
  // not rearrange the nested SELECTs, which select the rows as early as possible anyway.
  return sql`INSERT INTO ${identifier(to.database)}.${identifier(test.key)} (panel, agent, dtime, ${join(names, ', ')})
SELECT panel, agent, dtime,
  ${join(values, ',\n  ')}
FROM ${rows} SETTINGS compile_expressions = 0, optimize_and_compare_chain = 0, query_plan_enable_optimizations = 0`
}
