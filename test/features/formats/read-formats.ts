import { parse } from 'csv-parse/sync'
import { DataType, tableFromIPC, TimeUnit } from 'apache-arrow'

export type Row = Record<string, unknown>

export const formats = ['csv', 'ndjson', 'arrow'] as const
export type Format = (typeof formats)[number]

export const mediaTypes: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
}

/** Reads a response with parsers that share no code with the service. Lists are lists, and times are texts as in JSON. */
export function readFormat(format: Format, bytes: Uint8Array): { columns: readonly string[]; rows: readonly Row[] } {
  if (format === 'csv') return readCsv(bytes)
  if (format === 'arrow') return readArrow(bytes)
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end')
  const rows = text
    .split('\n')
    .slice(0, -1)
    .map((line): Row => JSON.parse(line))
  return { columns: Object.keys(rows[0] ?? {}), rows }
}

function readCsv(bytes: Uint8Array): { columns: readonly string[]; rows: readonly Row[] } {
  const [header = [], ...records]: unknown[][] = parse(Buffer.from(bytes), {
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => {
      if (quoting) return value
      if (value === 'true' || value === 'false') return value === 'true'
      return value === '' ? null : Number(value)
    },
  })
  const columns = header.map(String)
  return { columns, rows: records.map((cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at]]))) }
}

function readArrow(bytes: Uint8Array): { columns: readonly string[]; rows: readonly Row[] } {
  const table = tableFromIPC(bytes)
  const { fields } = table.schema
  const values = fields.map(({ type }, index) => {
    const column = table.getChildAt(index)
    return Array.from({ length: table.numRows }, (_, at) => plain(type, column?.get(at)))
  })
  const columns = fields.map(({ name }) => name)
  const rows = Array.from({ length: table.numRows }, (_, at) =>
    Object.fromEntries(columns.map((name, index) => [name, values[index]?.[at]])),
  )
  return { columns, rows }
}

function plain(type: DataType, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (DataType.isDate(type)) return new Date(Number(value)).toISOString().slice(0, 10)
  if (DataType.isTimestamp(type)) {
    const text = new Date(Number(value)).toISOString().replace('T', ' ').slice(0, -1)
    return type.unit === TimeUnit.SECOND ? text.slice(0, 19) : text
  }
  return typeof value === 'bigint' ? Number(value) : value
}

/** The points of a JSON response as flat rows, by the rules of the documentation. */
export const flatPoints = (data: unknown): Row[] =>
  (data as { metricData: Row[] }[]).flatMap(({ metricData }) => metricData).map(flatPoint)

const flatPoint = (point: Row): Row =>
  Object.fromEntries(
    Object.entries(point).flatMap(([name, value]): [string, unknown][] => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, value]]
      const prefix = name === 'percentiles' ? 'percentile' : name
      return Object.entries(value).map(([key, member]) => [`${prefix}_${key}`, member])
    }),
  )

/** Returns how a row differs from the row of the JSON response, or null. */
export function differenceOf(format: Format, columns: readonly string[], found: Row, expected: Row): string | null {
  const nested = /^(percentiles|percentileIntervals|comparison)$/
  const absent = Object.entries(expected).find(
    ([name, value]) => !columns.includes(name) && !(nested.test(name) && value === null),
  )
  if (absent !== undefined) return `the column ${absent[0]} is missing`
  for (const name of columns) {
    const want = wanted(format, name, expected[name])
    const have = found[name]
    if (!isSame(name, have, want)) return `${name}: ${JSON.stringify(have)} instead of ${JSON.stringify(want)}`
  }
  return null
}

function wanted(format: Format, name: string, value: unknown): unknown {
  if (value === undefined || value === null) return name === 'partial' || name === 'other' ? false : null
  if (Array.isArray(value)) {
    if (name === 'prefilter_rules' && value.length === 0) return null
    return format === 'ndjson' ? value : JSON.stringify(value)
  }
  return format === 'csv' && typeof value === 'string' && /^[=+\-@]/.test(value) ? `'${value}` : value
}

/** Arrow shows days as timestamps. Lists as text are compared as lists: 1e-7 and 1.0e-7 are the same number. */
function isSame(name: string, have: unknown, want: unknown): boolean {
  if (name === 'dtime' && typeof have === 'string' && typeof want === 'string') {
    return have === want || have === `${want} 00:00:00` || have === want.replace('T', ' ')
  }
  if (typeof want === 'string' && want.startsWith('[') && typeof have === 'string') {
    return have === want || JSON.stringify(JSON.parse(have)) === want
  }
  return JSON.stringify(have) === JSON.stringify(want)
}
