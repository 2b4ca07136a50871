import { bind, identifier, sql, statement, type Sql, type Statement } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { keptByDay } from '../metric/retention.ts'
import { notErased } from '../metric/samples.ts'

/** The results of a test on panels, without those of erased agents and of days that are no longer kept. */
export type ResultsInScope = Pick<TestDefinition, 'keepDays'> & {
  readonly test: string
  readonly panels: readonly number[]
  readonly erased: readonly number[]
}

/**
 * Finds the first and the last UTC day with results, as days since 1970: two rows per panel that has results. Each part reads
 * in the order of the sort key and stops at the first row. `min` and `max` would read every result of the panel.
 */
export function findResultDays(database: string, { test, panels, erased, keepDays }: ResultsInScope): Statement {
  const edge = (panel: number, direction: Sql): Sql => sql`SELECT * FROM (
SELECT panel, toUInt16(toDate(dtime)) AS day FROM ${identifier(database)}.${identifier(test)}
WHERE ${[
    sql`panel = ${bind('UInt32', panel)}`,
    ...notErased(erased),
    ...keptByDay(keepDays, sql`toDate(dtime)`),
  ].reduce((all, one) => sql`${all}\n  AND ${one}`)}
ORDER BY panel ${direction}, toDate(dtime) ${direction} LIMIT 1)`
  const edges = panels.flatMap((panel) => [edge(panel, sql`ASC`), edge(panel, sql`DESC`)])
  return statement(edges.reduce((all, one) => sql`${all}\nUNION ALL ${one}`))
}
