import { bind, literal, sql, type Sql } from '../../base/sql.ts'
import type { ExportFormat } from '../../catalog/export-formats.ts'

/** Where the engine writes, with credentials it keeps to itself: none of them stands in a statement. */
const namedCollection = sql`broadgauge_exports`

/** The engine writes the rows to the object by itself; they never pass through the service. */
export const writeFile = (key: string, format: ExportFormat, rows: Sql): Sql =>
  sql`INSERT INTO FUNCTION s3(${place(key, format)})
${rows}`

/** Reads the finished object from its first byte to its last. What the cells say does not matter for how many rows there are. */
export const countRows = (key: string, format: ExportFormat): Sql =>
  sql`SELECT count() AS rows FROM s3(${place(key, format)}, structure = 'any String')`

const place = (key: string, { engineFormat, compression }: ExportFormat): Sql =>
  sql`${namedCollection}, filename = ${bind('String', key)}, format = ${literal(engineFormat)}, compression_method = ${literal(compression)}`
