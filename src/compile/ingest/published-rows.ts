import { bind, identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { cell, cellNames, csvRows, type RowSource } from './row-source.ts'

/** Identifies the staged rows of one published file. */
export type PublishedRows = { readonly test: TestDefinition; readonly database: string; readonly run: string }

/**
 * Stages the rows of a file as CSV lines with all columns of the test. Also stages the cells that later steps need: unit, time,
 * target and sequence. Skips repeated header lines.
 */
export function stagePublished(
  { test, database, run }: PublishedRows,
  names: readonly string[],
  ipVersion: number,
): { insert: Sql; settings: RowSource['settings'] } {
  const source = csvRows(test, names)
  const values = cellNames(test).map((name) => {
    if (name === 'ip_version' && !names.includes(name)) return literal(String(ipVersion))
    return names.includes('successes') && isMeasured(test, name) ? unlessFailed(name) : cell(name)
  })
  const asked = [cell('agent_id'), cell('dtime'), ...(isSequenced(test) ? [cell('target'), cell('sequence')] : [])]
  // A row with too few or too many cells must not become valid when missing cells are added. It therefore gets one more cell
  // than the header has.
  const insert = sql`INSERT INTO ${identifier(database)}.staged_results (attempt, row, raw, cells)
SELECT ${bind('String', run)}, row,
  concat(formatRowNoNewline('CSV', ${join(values, ', ')}), if(malformed, ',"wrong number of cells"', '')),
  if(malformed, [], [${join(asked, ', ')}])
FROM (${source.select}) WHERE NOT match(lower(${cell('agent_id')}), '^#? *unit_id$') FORMAT ${identifier(source.format)}`
  return { insert, settings: source.settings }
}

const isMeasured = ({ columns }: TestDefinition, name: string): boolean =>
  ['µs', 'bytes/s', 'bit/s'].includes(columns.find((column) => column.name === name)?.unit ?? '')

/** The data set contains 0 for the time or speed of a failed test. A value that was not measured must be null. */
const unlessFailed = (name: string): Sql =>
  sql`if(${cell('successes')} = '0' AND match(${cell(name)}, '^0([.]0*)?$'), '', ${cell(name)})`

export const publishedHeader = (test: TestDefinition): string => cellNames(test).join(',')

/** Finds the unit numbers in the file. Ignores numbers that are too large to be registered. */
export const findUnits = ({ database, run }: PublishedRows): Sql =>
  sql`SELECT DISTINCT cells[1] AS unit FROM ${staged(database, run)} AND match(cells[1], '^[0-9]{1,16}$')
  AND toUInt64OrZero(cells[1]) <= ${bind('UInt64', Number.MAX_SAFE_INTEGER)} ORDER BY unit`

/**
 * Selects the lines to import, in the order of the file. A speed test writes a row every few seconds, and each row covers the
 * test from its start. Only the row with the highest sequence, which covers the whole test, is selected. All rows without a
 * valid sequence are selected, and are validated like any other row.
 */
export function keptLines({ test, database, run }: PublishedRows): Sql {
  const all = staged(database, run)
  if (!isSequenced(test)) return sql`SELECT raw FROM ${all} ORDER BY row FORMAT TSVRaw`
  const key = sql`sipHash128(cells[1], cells[2], cells[3])`
  const sequence = sql`toUInt32OrZero(cells[4])`
  const last = sql`SELECT ${key}, max(${sequence}) FROM ${all} AND notEmpty(cells) GROUP BY 1`
  return sql`SELECT raw FROM ${all}
  AND (isNull(toUInt32OrNull(cells[4])) OR (${key}, ${sequence}) IN (${last})) ORDER BY row FORMAT TSVRaw`
}

const isSequenced = ({ columns }: TestDefinition): boolean => columns.some(({ name }) => name === 'sequence')

const staged = (database: string, run: string): Sql =>
  sql`${identifier(database)}.staged_results WHERE attempt = ${bind('String', run)}`
