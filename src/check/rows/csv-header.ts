import type { TestDefinition } from '../../catalog/define-test.ts'
import { derivedColumns } from '../../catalog/derived-columns.ts'
import { choiceDetail } from '../choices.ts'
import { FieldFaults, messages } from '../field-faults.ts'

/** Returns the column names in the first line of a CSV file. */
export const checkCsvHeader = (line: string, test: TestDefinition): string[] =>
  checkColumns(
    line
      .replace(/\r$/, '')
      .split(',')
      .map((name) => name.trim().replace(/^"(.*)"$/, '$1')),
    test,
  )

/** Columns may be in any order. The file is refused if a required column is missing or a name is unknown. */
export function checkColumns(names: string[], test: TestDefinition): string[] {
  const required = ['agent_id', 'dtime', ...test.columns.filter((column) => column.required).map(({ name }) => name)]
  const known = new Set([...required, ...derivedColumns, ...test.columns.map(({ name }) => name)])
  const faults = new FieldFaults()
  for (const name of required.filter((one) => !names.includes(one))) faults.add(name, messages.missing)
  const seen = new Set<string>()
  for (const name of names) {
    if (!known.has(name)) {
      faults.add(name.slice(0, nameCharactersMax), messages.unexpected, () => choiceDetail(name, [...known]))
    } else if (seen.has(name)) faults.add(name, 'This field is there twice.')
    seen.add(name)
  }
  faults.throwIfAny()
  return names
}

/**
 * Maximum length of a column name in a response. If a file has no header, its first line is a row, which can have any length.
 */
const nameCharactersMax = 64
