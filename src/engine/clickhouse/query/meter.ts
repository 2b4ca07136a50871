import type { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import type { QueryMeter } from '../../../base/audit.ts'
import { storeUnavailable } from '../../../base/fault.ts'
import type { ResponseFormat } from '../../../catalog/response-formats.ts'

const newline = 0x0a
const closingBracket = 0x5d

/** Size of an array without rows as ClickHouse writes it: `[`, an empty line and `]`. */
const emptyArrayBytes = 5

/**
 * Counts the rows of a stream as ClickHouse writes it. Each row, the header of CSV and each bracket of a JSON array has its own
 * line. JSON contains no unescaped newline, so counting newlines is enough. A text in CSV can contain one; the row then counts
 * more than once. The counting takes a few percent of the time that forwarding the bytes takes. The rows of Arrow are unknown.
 */
export function meterRows(meter: QueryMeter, format: ResponseFormat['key'] = 'json'): (bytes: Buffer) => void {
  if (format === 'arrow') {
    meter.rows = null
    return ({ length }) => void (meter.bytes += length)
  }
  const others = format === 'csv' ? 1 : 0
  let lines = 0
  let last = 0
  return (bytes) => {
    if (bytes.length === 0) return
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines += 1
    meter.bytes += bytes.length
    if (format !== 'json') {
      meter.rows = Math.max(lines - others, 0)
      return
    }
    const isClosed = bytes.at(-1) === newline && (bytes.at(-2) ?? last) === closingBracket
    last = bytes.at(-1) ?? last
    meter.rows = meter.bytes <= emptyArrayBytes ? 0 : Math.max(lines - (isClosed ? 2 : 1), 0)
  }
}

/**
 * Measures the engine time of a stream, without the time in which the stream waited for a slow caller. Sets `engineMs` when
 * the stream has closed.
 */
export function meterTime(meter: QueryMeter, rows: Readable, startedAt: number): void {
  let waitedMs = 0
  let pausedAt: number | null = null
  const resume = () => {
    if (pausedAt !== null) waitedMs += performance.now() - pausedAt
    pausedAt = null
  }
  rows.on('pause', () => {
    pausedAt = performance.now()
    rows.once('data', resume)
  })
  rows.once('close', () => {
    resume()
    meter.engineMs = performance.now() - startedAt - waitedMs
  })
}

type Summary = Awaited<ReturnType<ClickHouseClient['exec']>>['summary']

/**
 * Returns the numbers of rows that ClickHouse has read and written. Throws if a proxy has removed the header: zero rows would
 * look like a complete insert.
 */
export function readSummary(summary: Summary): NonNullable<Summary> {
  if (summary !== undefined) return summary
  throw storeUnavailable(
    'ClickHouse',
    new Error('the response has no X-ClickHouse-Summary header: does a proxy remove it?'),
  )
}
