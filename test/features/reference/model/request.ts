import type { Filter } from './filters/filter.ts'
import type { Having } from './selection/having.ts'
import type { Top } from './splits/top.ts'

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

export const pointFields = [
  'metricValue',
  'stdDev',
  'sampleCount',
  'agentCount',
  'unitCount',
  'ci90',
  'ci95',
  'ci99',
  'min',
  'max',
  'median',
  'percentiles',
] as const

export type PointField = (typeof pointFields)[number]

export const inclusions = ['uncertainty', 'prefilter', 'coverage'] as const

export type Inclusion = (typeof inclusions)[number]
/** What is computed of each agent. Levels are in percent. */
export type PerAgent = { minimumResults?: number } & (
  | { statistic: 'mean' | 'median' | 'min' | 'max' }
  | { statistic: 'percentile'; level: number }
  | { statistic: 'share'; atLeast?: number; below?: number }
  | { statistic: 'trimmedMean'; low: number; high: number }
)

/** The bins of a histogram. `log` has eight bins for each doubling. */
export type Bins = { edges: number[] } | { bins: 'log' }

export type Reaching = { atLeast?: number; above?: number; below?: number }

/** What the points of a request are compared with: exactly one form of a base, and options. */
export type Compare = (
  | { previous: true }
  | { time: { from: string | number; to: string | number } }
  | { filters: Filter[] }
  | { split: string; base: string | number }
) & { margin?: number; marginPercent?: number; alpha?: number; match?: 'agents' }

/** The body of POST /metric_data. */
export type MetricRequest = {
  metric: string
  chartType: 'raw' | 'aggregate'
  aggregation?: Aggregation
  normalised: boolean
  prefilter: boolean
  splits?: string[]
  filters?: Filter[]
  /** A number is in milliseconds since 1970. */
  time: { from: string | number; to: string | number }
  wholePeriods?: boolean
  relativeTo?: 'plan'
  panel?: string | string[]
  agent_agg?: boolean
  perAgent?: PerAgent
  reaching?: Reaching
  percentiles?: 'exact' | 'none'
  /** In percent. */
  percentileLevels?: number[]
  histogram?: Bins
  preset?: string
  compare?: Compare
  fields?: PointField[]
  intervals?: 'agents' | 'results'
  include?: Inclusion[]
  window?: Window
  emptyBuckets?: boolean
  /** Several metrics instead of one. `metric` is then one of them, and not part of the body. */
  metrics?: string[]
  totals?: boolean
  top?: Top
  having?: Having[]
  order?: Order[]
  limit?: number
}

export type Order = { by: string; direction?: 'asc' | 'desc' }

export const includes = ({ include }: MetricRequest, inclusion: Inclusion): boolean =>
  include?.includes(inclusion) ?? false

/** Days of the week, from 1 on Monday to 7, and hours of the day. Without a list, all of them. */
export type Window = { weekdays?: number[]; hours?: number[] }

/** A request with its caller and its time, on which relative timestamps depend. */
export type Asked = { organisation: string; now: Temporal.Instant; request: MetricRequest }

/** The key of a point's scale. It is a symbol, so that it is not in the JSON of the point. */
export const scale = Symbol('scale')

/** The range and the number of a point's values. The permitted rounding errors depend on them. */
export type Scale = {
  min: number
  max: number
  sampleCount: number
  /** For points about agents, whose values are computed: the rounding error of each value. */
  floor?: number
}

/** The key of the largest absolute value that a point has without the prefilter. */
export const scaleBefore = Symbol('scale before the prefilter')

export type Point = Record<string, unknown> & { [scale]?: Scale; [scaleBefore]?: number }

/** The `data` of the response. */
export type Data = { metricData: Point[] }[]

/** The members of the response that are compared. */
export type Answer = { data: Data; meta?: Meta }

export type Meta = {
  points?: { computed: number; shown: number }
  totals?: Data
  overall?: Data
  grand?: Data
}

/** The body of a request. */
export const bodyOf = ({ metric, ...others }: MetricRequest): object =>
  others.metrics === undefined ? { metric, ...others } : others
