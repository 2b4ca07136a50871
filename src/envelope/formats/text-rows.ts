import { formulaStart } from '../../compile/export/export-file.ts'
import type { FlatColumn } from '../../compile/export/flat-columns.ts'
import { mapInPortions } from '../map-in-portions.ts'
import { flatValue, type Row } from './flat-rows.ts'

/** One JSON object on each line. */
export async function ndjsonRows(columns: readonly FlatColumn[], rows: readonly Row[]): Promise<string> {
  const names = columns.map(({ id }) => `${JSON.stringify(id)}:`)
  const lines = await mapInPortions(rows, (row) => {
    const members = columns.map((column, index) => `${names[index]}${JSON.stringify(flatValue(column, row))}`)
    return `{${members.join(',')}}\n`
  })
  return lines.join('')
}

/** CSV as ClickHouse writes it for exports: texts are quoted, null is an empty cell without quotes, and lines end with CRLF. */
export async function csvRows(columns: readonly FlatColumn[], rows: readonly Row[]): Promise<string> {
  const header = line(columns.map(({ id }) => quoted(id)))
  const lines = await mapInPortions(rows, (row) =>
    line(columns.map((column) => cell(column.kind === 'text', flatValue(column, row)))),
  )
  return header + lines.join('')
}

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

const startsFormula = new RegExp(formulaStart, 'u')

/** `isFromOutside`: spreadsheets run some texts as formulas. An apostrophe prevents that. */
function cell(isFromOutside: boolean, value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'string') return quoted(isFromOutside && startsFormula.test(value) ? `'${value}` : value)
  const text = JSON.stringify(value)
  return Array.isArray(value) ? quoted(text) : text
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
