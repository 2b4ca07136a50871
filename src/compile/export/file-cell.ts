import { literal, sql, type Sql } from '../../base/sql.ts'
import type { ExportFormat } from '../../catalog/export-formats.ts'
import type { Cell } from '../metric/cell.ts'

/** How a file writes a value: what JSON does by itself has to be said here. */
export const fileCell =
  ({ isForSpreadsheets }: ExportFormat): Cell =>
  (content, value) => {
    if (content === 'number') return finite(value)
    if (content === 'text') return isForSpreadsheets ? unspoken(validText(value)) : validText(value)
    return value
  }

/** No answer says `inf` or `nan`. */
const finite = (value: Sql): Sql => sql`if(isFinite(${value}), ${value}, NULL)`

/** Whatever bytes were stored, a file is UTF-8; by the same rule as JSON. */
const validText = (value: Sql): Sql => sql`toValidUTF8(${value})`

/**
 * How a text begins that a spreadsheet computes: also in the full-width forms that some take for the others, and after
 * spaces and invisible characters, which some ignore. Read alike by the engine and by JavaScript.
 */
export const formulaStart = String.raw`^([\t\r]|[\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])`

/** A measured text must not be computed. Most begin with a letter or a digit, which is cheaper to see than the pattern. */
const unspoken = (value: Sql): Sql =>
  sql`multiIf(ascii(${value}) BETWEEN 65 AND 126 OR ascii(${value}) BETWEEN 48 AND 57, ${value}, match(${value}, ${literal(formulaStart)}), concat('\\'', ${value}), ${value})`
