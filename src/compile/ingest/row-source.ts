import { identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { derivedColumns } from '../../catalog/derived-columns.ts'

/** What a row of a test says. Columns that follow from these are read and left alone, so that a record can be sent back. */
export const cellNames = (test: TestDefinition): readonly string[] => [
  'agent_id',
  'dtime',
  ...test.columns.map(({ name }) => name),
]

/** A cell as text; empty when the row does not have it. */
export const cell = (name: string): Sql => identifier(`c_${name}`)

/**
 * The rows of a batch as texts, before they are judged: `row`, `raw`, `malformed`, `unexpected`, `nested`, and a cell for
 * each column. The engine reads them; a row that cannot be read is still a row.
 */
export type RowSource = {
  readonly select: Sql
  /** How the data that follows the statement is read. */
  readonly format: 'CSV' | 'LineAsString'
  readonly settings: Readonly<Record<string, string | number>>
}

/** Order is kept by the engine from the data to here, whatever it does in parallel. */
const rowNumber = sql`rowNumberInAllBlocks() + 1 AS row`

const input = (index: number): Sql => identifier(`i${index}`)

/** By place: the first line has been taken off and is known to name columns of the test. */
export function csvRows(test: TestDefinition, header: readonly string[]): RowSource {
  const last = header.length - 1
  const value = (index: number) => (index === last ? sql`ifNull(${input(index)}, '')` : input(index))
  const cellAt = (name: string): Sql => (header.includes(name) ? value(header.indexOf(name)) : sql`''`)
  const texts = test.columns.filter(({ name, type }) => type === 'text' && header.includes(name))
  const structure = header.map((_, index) => `i${index} ${index === last ? 'Nullable(String)' : 'String'}`)
  const flaws = [
    // Cells that are not there are null, and so is the one beyond the last unless there are too many.
    sql`isNull(${input(last)})`,
    sql`isNotNull(surplus)`,
    ...texts.map(({ name }) => sql`NOT isValidUTF8(${cellAt(name)})`),
  ]
  const pairs = header.flatMap((name, index) => [literal(name), value(index)])
  const select = sql`SELECT ${rowNumber}, toJSONString(map(${join(pairs, ', ')})) AS raw, or(${join(flaws, ', ')}) AS malformed,
  CAST(NULL, 'Nullable(String)') AS unexpected, '' AS nested,
  ${join(
    cellNames(test).map((name) => sql`${cellAt(name)} AS ${cell(name)}`),
    ',\n  ',
  )}
FROM input(${literal([...structure, 'surplus Nullable(String)'].join(', '))})`
  const settings = {
    input_format_csv_allow_variable_number_of_columns: 1,
    input_format_csv_empty_as_default: 0,
    input_format_csv_skip_trailing_empty_lines: 1,
    // Nothing a cell can hold: an empty cell is what says that there is no value.
    format_csv_null_representation: '\u0001',
  }
  return { select, format: 'CSV', settings }
}

/** One JSON object a line. */
export function jsonRows(test: TestDefinition): RowSource {
  const names = cellNames(test)
  const shape = `Tuple(${names.map((name) => `${name} Nullable(String)`).join(', ')})`
  const known = sql`[${join([...names, ...derivedColumns].map(literal), ', ')}]`
  // An object or list is no number either way, and is told of as one that is not.
  const texts = ['agent_id', 'dtime', ...test.columns.filter(({ type }) => type === 'text').map(({ name }) => name)]
  const select = sql`SELECT ${rowNumber}, line AS raw,
  -- Empty for whatever is no object. Two readers could read a name that is there twice differently.
  empty(keys) OR length(arrayDistinct(keys)) != length(keys) AS malformed,
  if(hasAll(${known}, keys), NULL, arrayFirst(name -> NOT has(${known}, name), keys)) AS unexpected,
  -- A text may begin like that too; only then is it looked at as it stands in the line.
  if(or(${join(
    texts.map((name) => sql`substring(${cell(name)}, 1, 1) IN ('{', '[')`),
    ', ',
  )}, 0),
    arrayFirst((name, value) -> substring(value, 1, 1) IN ('{', '['),
      JSONExtractKeysAndValuesRaw(line).1, JSONExtractKeysAndValuesRaw(line).2), '') AS nested,
  ${join(
    names.map((name) => sql`ifNull(values.${identifier(name)}, '') AS ${cell(name)}`),
    ',\n  ',
  )}
FROM (SELECT line, JSONExtractKeys(line) AS keys, JSONExtract(line, ${literal(shape)}) AS values FROM input('line String'))`
  return { select, format: 'LineAsString', settings: {} }
}
