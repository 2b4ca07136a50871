import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'

export type Row = Record<string, unknown>

/** A downloaded file as rows: what stood in quotes is text, an empty cell without them null, anything else a number. */
export async function parseFile(format: string, bytes: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  if (format === 'parquet') return parseParquet(bytes)
  return parseCsv(format === 'csv.gz' ? gunzipSync(bytes) : Buffer.from(bytes))
}

function parseCsv(bytes: Buffer): Row[] {
  const rows: unknown[][] = parse(bytes, {
    // RFC 4180 to the letter: a bare line feed ends no line.
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => {
      if (quoting) return value
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

/** Parquet has types of its own for what JSON writes as text. */
function asJson(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (!(value instanceof Date)) return value ?? null
  const text = value.toISOString().replace('T', ' ').slice(0, -1)
  return name === 'ddate' ? text.slice(0, 10) : text
}

/** The rows of a JSON answer as a file has them: points one after the other, a column for every percentile. */
export function rowsOfAnswer(data: unknown): Row[] {
  const rows = data as Row[]
  const points = rows.flatMap((row) => (Array.isArray(row['metricData']) ? (row['metricData'] as Row[]) : [row]))
  return points.map(({ ...point }) =>
    Object.fromEntries(
      Object.entries(point).flatMap(([name, value]): [string, unknown][] =>
        name === 'percentiles'
          ? Object.entries(value as Row).map(([key, level]) => [`percentile_${key}`, level])
          : [[name, value]],
      ),
    ),
  )
}

/** A text as a spreadsheet may have it. */
export function guarded(text: string): string {
  const seen = text.replace(/^[\p{Z}\p{Cc}\p{Cf}]+/u, '')
  const isFormula = [...'=+-@\uFF1D\uFF0B\uFF0D\uFF20'].some((sign) => seen.startsWith(sign))
  return isFormula || text.startsWith('\t') || text.startsWith('\r') ? `'${text}` : text
}
