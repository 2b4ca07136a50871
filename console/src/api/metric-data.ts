import { send } from './call.ts'
import { envelopeOf, type Warning } from './call-service.ts'
import type { Session } from './session.ts'

export type PercentileKey = '1' | '5' | '10' | '20' | '25' | '50' | '75' | '80' | '90' | '95' | '99'

export type Point = {
  readonly dtime?: string
  readonly aggregatedNumber?: number
  readonly metricValue: number | null
  readonly stdDev: number | null
  readonly sampleCount: number
  readonly agentCount: number
  readonly unitCount: number
  readonly ci90: number | null
  readonly ci95: number | null
  readonly ci99: number | null
  readonly min: number | null
  readonly max: number | null
  readonly median: number | null
  readonly percentiles: Readonly<Record<PercentileKey, number | null>>
  readonly [split: string]: unknown
}

export type MetricRequest = {
  readonly metric: string
  readonly chartType: 'aggregate' | 'raw'
  /** Only for requests with the chart type `aggregate`. */
  readonly aggregation?: string
  readonly normalised: boolean
  readonly prefilter: boolean
  readonly splits?: readonly string[]
  readonly filters?: readonly { id: string; filterType: 'include' | 'exclude'; filterValues: readonly string[] }[]
  readonly time: { readonly from: string; readonly to: string }
  readonly panel?: readonly string[]
  readonly preset?: string
}

export type MetricAnswer = readonly { readonly metricData: readonly Point[] }[]

export async function runMetricRequest(
  session: Session,
  request: MetricRequest,
  signal: AbortSignal,
): Promise<{ readonly answer: MetricAnswer; readonly warnings: readonly Warning[] }> {
  const asked = { interface: 'data', method: 'POST', path: '/metric_data', body: request, signal } as const
  const { data: answer, warnings = [] } = await envelopeOf<MetricAnswer>(await send(session, asked))
  return { answer, warnings }
}
