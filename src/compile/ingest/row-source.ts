import { identifier, join, literal, sql, type Sql } from '../../base/sql.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import { derivedColumns } from '../../catalog/derived-columns.ts'

/**
 * Names of the columns that are read from a row. A row may also contain derived columns, which are ignored. Records from
 * /test_data can therefore be ingested unchanged.
 */
export const cellNames = (test: TestDefinition): readonly string[] => [
  'agent_id',
  'dtime',
  ...test.columns.map(({ name }) => name),
]

/** Returns the alias of a column that contains the text of a cell. The text is empty if the row does not have the cell. */
export const cell = (name: string): Sql => identifier(`c_${name}`)

/**
 * The rows of a batch as texts, before validation. Columns of `select`: `row`, `raw`, `malformed`, `unexpected`, `nested`, and
 * one column per cell. ClickHouse parses the rows. A row that it cannot parse still counts as a row.
 */
export type RowSource = {
  readonly select: Sql
  /** Format of the data that is sent after the statement. */
  readonly format: 'CSV' | 'LineAsString'
  readonly settings: Readonly<Record<string, string | number>>
}

/**
 * The number of a row in the input. ClickHouse preserves the order of the input up to this expression, even if it reads in
 * parallel.
 */
const rowNumber = sql`rowNumberInAllBlocks() + 1 AS row`

const input = (index: number): Sql => identifier(`i${index}`)

/** Reads columns by position. `header` contains the checked column names; the data does not contain the header line. */
export function csvRows(test: TestDefinition, header: readonly string[]): RowSource {
  const last = header.length - 1
  const value = (index: number) => (index === last ? sql`ifNull(${input(index)}, '')` : input(index))
  const cellAt = (name: string): Sql => (header.includes(name) ? value(header.indexOf(name)) : sql`''`)
  const texts = test.columns.filter(({ name, type }) => type === 'text' && header.includes(name))
  const structure = header.map((_, index) => `i${index} ${index === last ? 'Nullable(String)' : 'String'}`)
  const flaws = [
    // The last column is null if the row has too few cells. `surplus` is not null if the row has too many cells.
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
    // No cell can have this value, so ClickHouse reads no cell as null. An empty cell is a missing value.
    format_csv_null_representation: '\u0001',
  }
  return { select, format: 'CSV', settings }
}

export function jsonRows(test: TestDefinition): RowSource {
  const names = cellNames(test)
  const shape = `Tuple(${names.map((name) => `${name} Nullable(String)`).join(', ')})`
  const known = sql`[${join([...names, ...derivedColumns].map(literal), ', ')}]`
  // Only text columns need this check. In a number column, an object or list is rejected as `wrong_type`.
  const texts = ['agent_id', 'dtime', ...test.columns.filter(({ type }) => type === 'text').map(({ name }) => name)]
  const select = sql`SELECT ${rowNumber}, line AS raw,
  -- The list of keys is empty if the line is not an object. If a key occurs twice, two parsers could use different values.
  empty(keys) OR length(arrayDistinct(keys)) != length(keys) AS malformed,
  if(hasAll(${known}, keys), NULL, arrayFirst(name -> NOT has(${known}, name), keys)) AS unexpected,
  -- A text can also begin with a bracket. Only in this case the statement reads the raw value from the line.
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
