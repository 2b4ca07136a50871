import type { Warning } from './call-service.ts'
import type { MetricRequest } from './metric-data.ts'
import type { Session } from './session.ts'
import { streamRows } from './stream-rows.ts'

/** One result, as a point of a metric. */
export type RawPoint = {
  readonly metricValue: number | null
  readonly dtime: string
  readonly agent: string
  readonly unit: string | null
  readonly [split: string]: unknown
}

export const streamRawPoints = (
  session: Session,
  request: MetricRequest,
  signal: AbortSignal,
  onWarnings: (warnings: readonly Warning[]) => void,
): AsyncGenerator<RawPoint[]> =>
  streamRows<RawPoint>(session, { path: '/metric_data', body: request, rowDepth: 5, onWarnings }, signal)
