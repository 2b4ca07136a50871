import { randomUUID } from 'node:crypto'
import type { ResponseHeaders } from '@clickhouse/client'
import type { QueryMeter } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'
import { callerLeft } from '../../../base/fault.ts'
import type { Statement } from '../../../base/sql.ts'
import { traced, traceHeaders } from '../../tracing.ts'
import { inClickHouse, type ClickHouse } from '../clickhouse.ts'
import { toEngineFault } from '../engine-fault.ts'
import { originSettings, type AwaitedOrigin } from './query-origin.ts'
import { nextNode, withoutNode } from '../next-node.ts'
import { stopQuery } from './stop-query.ts'
import { wholeAnswer } from './ask.ts'

/** A row of a response. The values are in the order of the statement's columns. */
export type PointRow = readonly unknown[]

/**
 * Runs a statement whose result has a limited size. ClickHouse sends the result only when it is complete, and the number of
 * rows is checked, so a failure never returns a partial result. If the caller disconnects, the query is stopped.
 */
export async function findPoints<Row extends PointRow = PointRow>(
  scope: Scope,
  clickhouse: ClickHouse,
  statement: Statement,
  origin: AwaitedOrigin,
): Promise<Row[]> {
  return traced('ClickHouse query', 'client', inClickHouse, async (span) => {
    const running = run<Row>(scope, clickhouse, statement, origin)
    origin.keepSlotUntil?.(running)
    const rows = await running
    span?.note({ 'db.response.returned_rows': rows.length, 'broadgauge.engine_ms': origin.meter.engineMs })
    return rows
  })
}

async function run<Row extends PointRow>(
  scope: Scope,
  clickhouse: ClickHouse,
  query: Statement,
  { signal, ...origin }: AwaitedOrigin,
): Promise<Row[]> {
  // The client library reacts only to the abort event and ignores a signal that is already aborted.
  if (signal.aborted) throw callerLeft()
  const node = nextNode(clickhouse)
  const queryId = randomUUID()
  const { meter } = origin
  const spentMs = meter.engineMs
  const startedAt = performance.now()
  try {
    const result = await node.query({
      query: query.text,
      query_params: query.params,
      format: 'JSONCompact',
      query_id: queryId,
      clickhouse_settings: { wait_end_of_query: 1, ...originSettings(scope, origin) },
      http_headers: traceHeaders(),
      abort_signal: signal,
    })
    readSummary(meter, result.response_headers)
    const rows = await wholeAnswer(result.json<Row>())
    meter.rows = rows.length
    return rows
  } catch (error) {
    const others = withoutNode(clickhouse, node, error)
    if (others !== null) return run(scope, others, query, { signal, ...origin })
    // A failed query has no summary, but it has used engine time.
    const recordTime = () => (meter.engineMs = spentMs + performance.now() - startedAt)
    recordTime()
    meter.rowsRead = null
    if (!signal.aborted) throw toEngineFault(error)
    await stopQuery(node, queryId)
    recordTime()
    throw callerLeft()
  }
}

/** Adds the cost of a statement to the cost of the request, which can need several statements. */
function readSummary(meter: QueryMeter, headers: ResponseHeaders): void {
  const summary: unknown = JSON.parse(String(headers['x-clickhouse-summary'] ?? '{}'))
  if (typeof summary !== 'object' || summary === null) return
  if ('elapsed_ns' in summary) meter.engineMs += Number(summary.elapsed_ns) / 1e6
  if ('read_rows' in summary)
    meter.rowsRead = meter.rowsRead === null ? null : meter.rowsRead + Number(summary.read_rows)
  if ('result_bytes' in summary) meter.bytes = Number(summary.result_bytes)
}
