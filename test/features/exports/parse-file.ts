import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'

export type Row = Record<string, unknown>

/**
 * Parses a downloaded file. In CSV a quoted cell is text, an empty cell without quotes is null, and any other cell is a
 * truth value or a number.
 */
export async function parseFile(format: string, bytes: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  if (format === 'parquet') return parseParquet(bytes)
  return parseCsv(format === 'csv.gz' ? gunzipSync(bytes) : Buffer.from(bytes))
}

function parseCsv(bytes: Buffer): Row[] {
  const rows: unknown[][] = parse(bytes, {
    // RFC 4180 requires CRLF: a line feed alone does not end a record.
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => {
      if (quoting) return value
      if (value === 'true' || value === 'false') return value === 'true'
      return value === '' ? null : Number(value)
    },
  })
  const [header = [], ...records] = rows
  return records.map((cells) => Object.fromEntries(header.map((name, index) => [String(name), cells[index]])))
}

async function parseParquet({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  const file = buffer.slice(byteOffset, byteOffset + byteLength)
  const rows = await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) },
  })
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asJson(name, value)])))
}

/**
 * Converts the types of Parquet to the types of JSON. Parquet has special types for some values that JSON writes as
 * text.
 */
function asJson(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (!(value instanceof Date)) return value ?? null
  const text = value.toISOString().replace('T', ' ').slice(0, -1)
  return name === 'ddate' ? text.slice(0, 10) : text
}

/**
 * The rows of a JSON response in the layout of a file: all points in one list, one column per percentile, lists as JSON text,
 * and the reasons for caution in the last column.
 */
export function rowsOfAnswer(data: unknown): Row[] {
  const rows = data as Row[]
  const points = rows.flatMap((row) => (Array.isArray(row['metricData']) ? (row['metricData'] as Row[]) : [row]))
  return points.map(({ partial, caution, ...point }) => {
    const cells = Object.entries(point).flatMap(([name, value]): [string, unknown][] => {
      if (name === 'percentiles') return cellsOf('percentile', value ?? noIntervals)
      if (name === 'removedBy') return [[name, JSON.stringify(value)]]
      if (name === 'prefilter' || name === 'coverage') return cellsOf(name, value).map(listAsText)
      if (name !== 'percentileIntervals') return [[name, value]]
      return cellsOf(name, value ?? noIntervals).map(([id, list]) => [id, list === null ? null : JSON.stringify(list)])
    })
    // Files say of whole points too that they are not partial. A raw point has no number of results.
    const parts = 'dtime' in point && 'sampleCount' in point ? [['partial', partial === true]] : []
    // Every point of this test with an interval has one by agents, so its file has the column also if it is empty.
    const last = 'ci95' in point ? [['caution', caution === undefined ? null : JSON.stringify(caution)]] : []
    return Object.fromEntries([...cells, ...parts, ...last])
  })
}

const listAsText = ([id, value]: [string, unknown]): [string, unknown] => [
  id,
  Array.isArray(value) ? (value.length === 0 ? null : JSON.stringify(value)) : value,
]

const cellsOf = (name: string, members: unknown): [string, unknown][] =>
  Object.entries(members as Row).map(([key, value]) => [`${name}_${key}`, value])

const noIntervals = Object.fromEntries([1, 5, 10, 20, 25, 50, 75, 80, 90, 95, 99].map((key) => [String(key), null]))

/** The text as a CSV file contains it: with a quote before a text that a spreadsheet would take as a formula. */
export function guarded(text: string): string {
  const seen = text.replace(/^[\p{Z}\p{Cc}\p{Cf}]+/u, '')
  const isFormula = [...'=+-@\uFF1D\uFF0B\uFF0D\uFF20'].some((sign) => seen.startsWith(sign))
  return isFormula || text.startsWith('\t') || text.startsWith('\r') ? `'${text}` : text
}
