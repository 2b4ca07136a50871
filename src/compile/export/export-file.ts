import { bind, literal, sql, type Sql } from '../../base/sql.ts'
import type { ExportFormat } from '../../catalog/export-formats.ts'
import type { ResponseFormat } from '../../catalog/response-formats.ts'
import type { TestDataRequest } from '../../check/metric/test-data-request.ts'
import { metricsName } from '../metric/answer/answer-statement.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import type { Cell } from '../metric/raw-points.ts'

/** A named collection in ClickHouse holds the bucket and its credentials, so that no statement contains them. */
const namedCollection = sql`broadgauge_exports`

/**
 * Returns the statement with which ClickHouse writes the rows directly to the object. The rows do not pass through the
 * service.
 */
export const writeFile = (key: string, format: ExportFormat, rows: Sql): Sql =>
  sql`INSERT INTO FUNCTION s3(${s3Object(key, format)})
${rows}`

/** Counts the rows of a finished object by reading the whole object. Counting needs no values, so one column is enough. */
export const countRows = (key: string, format: ExportFormat): Sql =>
  sql`SELECT count() AS rows FROM s3(${s3Object(key, format)}, structure = 'any String')`

const s3Object = (key: string, { engineFormat, compression }: ExportFormat): Sql =>
  sql`${namedCollection}, filename = ${bind('String', key)}, format = ${literal(engineFormat)}, compression_method = ${literal(compression)}`

/**
 * The name under which a browser saves the file. It contains only catalogue keys and days, so the HTTP header needs no
 * escaping.
 */
export const metricFileName = (plan: MetricPlan, format: ExportFormat): string =>
  named([...metricsName(plan), plan.aggregation?.key ?? 'raw', dayOf(plan.from), dayOf(plan.to)], format)

export const testFileName = (
  { test, days: { first, last } }: Pick<TestDataRequest, 'test' | 'days'>,
  format: ExportFormat,
): string => named([test.key, 'results', String(first), String(last)], format)

const named = (parts: readonly string[], { key }: ExportFormat): string => `${parts.join('_')}.${key}`

export const dayOf = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toString()
    .slice(0, 10)

/** Formats values for a file. For a JSON response, ClickHouse does these conversions itself. */
export const fileCell =
  ({ isForSpreadsheets }: Pick<ExportFormat, 'isForSpreadsheets'>): Cell =>
  (content, value) => {
    if (content === 'number') return finite(value)
    if (content === 'list') return sql`toJSONString(${value})`
    if (content === 'text') return isForSpreadsheets ? escapeFormula(validText(value)) : validText(value)
    return value
  }

/** Formats values for a response that ClickHouse streams. */
export function responseCell({ key }: ResponseFormat): Cell | null {
  if (key === 'json' || key === 'ndjson') return null
  const cell = fileCell({ isForSpreadsheets: key === 'csv' })
  // Arrow has no numbers of 128 bits: ClickHouse would write them as bytes.
  return (content, value) => cell(content, key === 'arrow' && content === 'number' ? sql`toFloat64(${value})` : value)
}

/** Replaces `inf` and `nan` by null, because JSON responses do not contain them either. */
const finite = (value: Sql): Sql => sql`if(isFinite(${value}), ${value}, NULL)`

/** Stored texts can contain invalid UTF-8. The file then has the same replacement characters as a JSON response. */
const validText = (value: Sql): Sql => sql`toValidUTF8(${value})`

/**
 * Matches a text that a spreadsheet would evaluate as a formula. Some spreadsheets accept full-width characters, and some
 * ignore leading spaces and invisible characters, so the pattern includes both. The pattern has the same meaning in ClickHouse
 * and in JavaScript.
 */
export const formulaStart = String.raw`^([\t\r]|[\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])`

/**
 * Prevents a spreadsheet from evaluating a measured text as a formula. The check whether the first character is a letter or
 * digit comes first, because it is cheaper than the pattern.
 */
const escapeFormula = (value: Sql): Sql =>
  sql`multiIf(ascii(${value}) BETWEEN 65 AND 126 OR ascii(${value}) BETWEEN 48 AND 57, ${value}, match(${value}, ${literal(formulaStart)}), concat('\\'', ${value}), ${value})`
