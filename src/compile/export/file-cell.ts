import { sql, type Sql } from '../../base/sql.ts'
import type { ExportFormat } from '../../catalog/export-formats.ts'
import type { Cell } from '../cell.ts'

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

/** A spreadsheet computes what begins like a formula, and a measured text must not be able to make it do so. */
const unspoken = (value: Sql): Sql =>
  sql`if(substring(${value}, 1, 1) IN ('=', '+', '-', '@', '\\t', '\\r'), concat('\\'', ${value}), ${value})`
