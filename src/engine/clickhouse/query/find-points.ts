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
import { nextNode, passOver } from '../next-node.ts'
import { stopQuery } from './stop-query.ts'
import { wholeAnswer } from './ask.ts'

/** A row of an answer, in the order of the statement's columns. */
export type PointRow = readonly unknown[]

/**
 * Runs a statement whose answer is bounded. The engine keeps it back until it is whole, so a failure is never half an
 * answer, and it is looked at whether it is. It ends when nobody waits for it any more.
 */
export async function findPoints<Row extends PointRow = PointRow>(
  scope: Scope,
  clickhouse: ClickHouse,
  statement: Statement,
  origin: AwaitedOrigin,
): Promise<Row[]> {
  return traced('ClickHouse query', 'client', inClickHouse, async (span) => {
    const running = run<Row>(scope, clickhouse, statement, origin)
    origin.keepPlaceUntil?.(running)
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
  // The client listens for the abort only: one that has been is nothing to it.
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
    // Without a summary: it has cost its time all the same.
    const noteTime = () => (meter.engineMs = spentMs + performance.now() - startedAt)
    noteTime()
    const others = passOver(clickhouse, node, error)
    if (others !== null) return run(scope, others, query, { signal, ...origin })
    meter.rowsRead = null
    if (!signal.aborted) throw toEngineFault(error)
    await stopQuery(node, queryId)
    noteTime()
    throw callerLeft()
  }
}

/** Added to what the request has cost before: to answer it may take more than one statement. */
function readSummary(meter: QueryMeter, headers: ResponseHeaders): void {
  const summary: unknown = JSON.parse(String(headers['x-clickhouse-summary'] ?? '{}'))
  if (typeof summary !== 'object' || summary === null) return
  if ('elapsed_ns' in summary) meter.engineMs += Number(summary.elapsed_ns) / 1e6
  if ('read_rows' in summary)
    meter.rowsRead = meter.rowsRead === null ? null : meter.rowsRead + Number(summary.read_rows)
  if ('result_bytes' in summary) meter.bytes = Number(summary.result_bytes)
}

/** What the engine would have to read. */
type Estimate = { readonly parts: number; readonly rows: number; readonly marks: number }

export async function readEstimate(
  scope: Scope,
  clickhouse: ClickHouse,
  { text, params }: Statement,
  origin: AwaitedOrigin,
): Promise<Estimate> {
  const rows = await findPoints(scope, clickhouse, { text: `EXPLAIN ESTIMATE ${text}`, params }, origin)
  const sum = (column: number): number => rows.reduce((all, row) => all + Number(row[column]), 0)
  return { parts: sum(2), rows: sum(3), marks: sum(4) }
}
