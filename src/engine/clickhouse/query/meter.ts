import type { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import type { QueryMeter } from '../../../base/audit.ts'
import { storeAway } from '../../../base/fault.ts'

const newline = 0x0a
const closingBracket = 0x5d

/** `[`, an empty line and `]`: how the engine writes an array without rows. */
const emptyArrayBytes = 5

/**
 * Counts rows of an array as the engine writes it: a bracket, each row and the other bracket have a line of their own, and
 * JSON holds no newline outside an escape. Searching for the byte costs a few percent of what passing it on does.
 */
export function meterRows(meter: QueryMeter): (bytes: Buffer) => void {
  let lines = 0
  let last = 0
  return (bytes) => {
    if (bytes.length === 0) return
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines += 1
    const isClosed = bytes.at(-1) === newline && (bytes.at(-2) ?? last) === closingBracket
    last = bytes.at(-1) ?? last
    meter.bytes += bytes.length
    meter.rows = meter.bytes <= emptyArrayBytes ? 0 : Math.max(lines - (isClosed ? 2 : 1), 0)
  }
}

/** Time the engine has taken for a stream, without what it waited for a slow caller. Known when the stream has closed. */
export function meterTime(meter: QueryMeter, rows: Readable, startedAt: number): void {
  let waitedMs = 0
  let pausedAt: number | null = null
  const goOn = () => {
    if (pausedAt !== null) waitedMs += performance.now() - pausedAt
    pausedAt = null
  }
  rows.on('pause', () => {
    pausedAt = performance.now()
    rows.once('data', goOn)
  })
  rows.once('close', () => {
    goOn()
    meter.engineMs = performance.now() - startedAt - waitedMs
  })
}

type Summary = Awaited<ReturnType<ClickHouseClient['exec']>>['summary']

/**
 * What the engine says it has read and written. A reply without it, as a proxy between us may make it, tells nothing: none
 * read and none written would look like all of them.
 */
export function toldSummary(summary: Summary): NonNullable<Summary> {
  if (summary !== undefined) return summary
  throw storeAway('ClickHouse', new Error('the reply has no X-ClickHouse-Summary: does a proxy take it away?'))
}
