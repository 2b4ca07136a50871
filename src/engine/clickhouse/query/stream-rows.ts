import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { pipeline, type Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import type { QueryOrigin } from '../../../base/audit.ts'
import type { Scope } from '../../../base/caller.ts'
import { callerLeft, storeUnavailable } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import { sql, statement, type Sql } from '../../../base/sql.ts'
import { json, type ResponseFormat } from '../../../catalog/response-formats.ts'
import { currentSpan, inSpan, traceHeaders } from '../../tracing.ts'
import { inClickHouse, type ClickHouse } from '../clickhouse.ts'
import { toEngineFault, tooLarge } from '../engine-fault.ts'
import { originSettings, type AwaitedOrigin } from './query-origin.ts'
import { meterRows, meterTime } from './meter.ts'
import { multipartOf } from './multipart.ts'
import { nextNode, withoutNode } from '../next-node.ts'
import { stopQuery } from './stop-query.ts'
import { TrailerWatch } from './trailer-watch.ts'

/** What the service sends to ClickHouse for each format. The profile of the user sets the other settings of the formats. */
const outputs: Readonly<Record<ResponseFormat['key'], { engineFormat: Sql; settings?: ClickHouseSettings }>> = {
  json: { engineFormat: sql`JSONEachRow` },
  ndjson: { engineFormat: sql`JSONEachRow`, settings: { output_format_json_array_of_rows: 0 } },
  csv: { engineFormat: sql`CSVWithNames` },
  arrow: { engineFormat: sql`ArrowStream` },
}

/**
 * Returns the rows of a query as ClickHouse writes them: for JSON as one array. Resolves when the first bytes arrive. A failure
 * before that rejects the promise, and a later failure is an error of the stream. Destroying the stream stops the query.
 */
export async function streamRows(
  scope: Scope,
  streams: ClickHouse,
  query: Sql,
  { signal, ...origin }: AwaitedOrigin,
  format: ResponseFormat = json,
): Promise<Readable> {
  if (signal.aborted) throw callerLeft()
  const node = nextNode(streams)
  const queryId = randomUUID()
  const late = AbortSignal.timeout(limits.statementTimeoutMs)
  const startedAt = performance.now()
  const stopped = Promise.withResolvers<void>()
  origin.keepSlotUntil?.(stopped.promise)
  origin.meter.rowsRead = null
  // The trace span ends with the last byte of the stream. The caller of this function does not wait for that, so `traced`
  // cannot be used.
  const span = currentSpan()?.begin('ClickHouse stream', 'client', inClickHouse) ?? null
  try {
    const opened = inSpan(span, () =>
      open(node, query, queryId, scope, origin, AbortSignal.any([signal, late]), format),
    )
    const rows = await opened
    meterTime(origin.meter, rows, startedAt)
    rows.once('close', () => {
      origin.meter.isWhole = rows.readableEnded
      const { rows: returned, bytes } = origin.meter
      span?.note({ ...(returned === null ? {} : { 'db.response.returned_rows': returned }), 'broadgauge.bytes': bytes })
      span?.end(rows.errored ?? undefined)
      void (rows.readableEnded ? Promise.resolve() : stopQuery(node, queryId)).then(() => stopped.resolve())
    })
    return rows
  } catch (error) {
    span?.end(error)
    origin.meter.engineMs = performance.now() - startedAt
    const others = withoutNode(streams, node, error)
    if (others !== null) {
      stopped.resolve()
      return streamRows(scope, others, query, { signal, ...origin }, format)
    }
    const isGivenUp = signal.aborted || late.aborted
    const isResponsive = isGivenUp && (await stopQuery(node, queryId))
    stopped.resolve()
    if (!isGivenUp) throw toEngineFault(error)
    if (signal.aborted) throw callerLeft()
    throw isResponsive
      ? tooLarge(`has no first row after ${limits.statementTimeoutMs / 1000} s`)
      : storeUnavailable('ClickHouse', error)
  }
}

async function open(
  node: ClickHouseClient,
  query: Sql,
  queryId: string,
  scope: Scope,
  origin: QueryOrigin,
  signal: AbortSignal,
  { key }: ResponseFormat,
): Promise<Readable> {
  const { engineFormat, settings = {} } = outputs[key]
  const { text, params } = statement(sql`${query}\nFORMAT ${engineFormat}`)
  const { stream, response_headers: headers } = await node.exec({
    query: text,
    ...multipartOf(params, traceHeaders()),
    query_id: queryId,
    clickhouse_settings: { ...originSettings(scope, origin), ...settings },
    abort_signal: signal,
  })
  const rows = new TrailerWatch(String(headers['x-clickhouse-exception-tag'] ?? ''), meterRows(origin.meter, key))
  // The callback ignores the error, because the reader of `rows` gets it too.
  pipeline(stream, rows, () => {})
  try {
    await once(rows, 'readable', { signal })
    return rows
  } catch (error) {
    rows.destroy()
    throw error
  }
}
