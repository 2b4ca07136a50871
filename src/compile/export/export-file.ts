import { bind, literal, sql, type Sql } from '../../base/sql.ts'
import type { ExportFormat } from '../../catalog/export-formats.ts'
import type { TestDataRequest } from '../../check/metric/test-data-request.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import type { Cell } from '../metric/raw-points.ts'

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

/** What a browser calls the file it saves. Keys of the catalogue and days only: nothing a header would have to escape. */
export const metricFileName = ({ metric, aggregation, from, to }: MetricPlan, format: ExportFormat): string =>
  named([metric.key, aggregation?.key ?? 'raw', dayOf(from), dayOf(to)], format)

export const testFileName = ({ test, days: { first, last } }: TestDataRequest, format: ExportFormat): string =>
  named([test.key, 'results', String(first), String(last)], format)

const named = (parts: readonly string[], { key }: ExportFormat): string => `${parts.join('_')}.${key}`

const dayOf = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toString()
    .slice(0, 10)

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
