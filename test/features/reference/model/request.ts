export const aggregations = [
  'hourly',
  'two_hourly',
  'four_hourly',
  'six_hourly',
  'daily',
  'weekly',
  'monthly',
  'quarterly',
  'hour_of_day',
  'day_of_week',
  'day_of_month',
  'total',
] as const

export type Aggregation = (typeof aggregations)[number]

export type Filter = { id: string; filterType: string | number; filterValues: string[] }

/** The body of POST /metric_data. */
export type MetricRequest = {
  metric: string
  chartType: 'raw' | 'aggregate'
  aggregation?: Aggregation
  normalised: boolean
  prefilter: boolean
  splits?: string[]
  filters?: Filter[]
  time: { from: string; to: string }
  panel?: string | string[]
  agent_agg?: false
}

/** Who asks, and when: relative times hang on it. */
export type Asked = { organisation: string; now: Temporal.Instant; request: MetricRequest }

export type Point = Record<string, unknown>

/** The `data` of the answer. */
export type Data = { metricData: Point[] }[]
