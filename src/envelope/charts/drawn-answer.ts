import { unitSymbol } from '../../catalog/units.ts'
import { isObject } from '../../check/field-faults.ts'
import type { Chart, QuestionContent } from '../../check/question/content.ts'

/** A point of a chart. A number is null if the answer does not have it. */
export type DrawnPoint = {
  /** The beginning of the period, or the number of the hour or day. Empty for the whole range. */
  readonly label: string
  readonly value: number | null
  /** The bounds of the 95 % interval. */
  readonly low: number | null
  readonly high: number | null
  readonly results: number | null
  readonly agents: number | null
  /** The range contains only a part of the period. */
  readonly isPartial: boolean
  readonly caution: readonly string[]
}

export type DrawnSeries = { readonly name: string; readonly points: readonly DrawnPoint[] }

/** The answer of a question, as charts and tables show it. */
export type DrawnAnswer = {
  readonly kind: Chart['kind']
  /** Whether labels are moments in time, numbers of hours or days, or the whole range. */
  readonly axis: 'time' | 'number' | 'none'
  /** As in the request, such as `hour_of_day`. */
  readonly aggregation: string
  /** What is shown: the metric, and the statistic unless it is the value itself. */
  readonly measure: string
  /** Empty for counts, and if the metrics have different units. */
  readonly unit: string
  readonly series: readonly DrawnSeries[]
}

type Point = Readonly<Record<string, unknown>>

/** The answer of a question: `data` and `meta` of its response. The request must include `meta`. */
export type Answered = { readonly data?: unknown; readonly meta?: unknown }

/** Turns the answer of a question into what is drawn. */
export function drawnAnswer(
  { request, chart }: Pick<QuestionContent, 'request' | 'chart'>,
  { data, meta }: Answered,
): DrawnAnswer {
  const statistic = chart?.statistic ?? 'metricValue'
  const metrics = metricsOf(meta)
  const units = new Set(metrics.map(({ unit }) => unit))
  const splits = listOf(request['splits']).map(String)
  const all = listOf(data)
    .map((one) => listOf(memberOf(one, 'metricData')).filter(isObject))
    .filter((points) => points.length > 0)
  const first = all[0]?.[0] ?? {}
  const axis = typeof first['dtime'] === 'string' ? 'time' : 'aggregatedNumber' in first ? 'number' : 'none'
  const names = new Map(metrics.map(({ key, name }) => [key, name] as const))
  return {
    kind: chart?.kind ?? (axis === 'none' ? 'bar' : 'line'),
    axis,
    aggregation: String(request['aggregation']),
    measure: metrics.map(({ name }) => name).join(', ') + (statistic === 'metricValue' ? '' : `: ${statistic}`),
    unit: units.size === 1 ? unitOf(statistic, [...units][0] ?? '') : '',
    series: all.map((points) => ({
      name: nameOf(points[0] ?? {}, splits, names),
      points: points.map((point) => drawnPoint(point, statistic)),
    })),
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** The metrics of the answer, with their units as people write them. */
function metricsOf(meta: unknown): readonly { readonly key: string; readonly name: string; readonly unit: string }[] {
  const [one, several] = [memberOf(meta, 'metric'), listOf(memberOf(meta, 'metrics'))]
  return [...(one === undefined ? [] : [one]), ...several].map((metric) => {
    const unit = textOf(memberOf(metric, 'unit'))
    return { key: textOf(memberOf(metric, 'key')), name: textOf(memberOf(metric, 'name')), unit: unitSymbol(unit) }
  })
}

/** Statistics that are not in the unit of the metric. */
function unitOf(statistic: string, unit: string): string {
  if (/^(reaching(Share|Low|High)|coverage\.share|coverage\.lateShare|largestAgentShare)$/.test(statistic)) return '%'
  const isPlain =
    /Count$|^agents|^reachingAgents$|^effective|^degreesOfFreedom$|^designEffect$|\.(agents|blocks)|\.(before|removed)$|ratio|pValue|pAdjusted|baseAgents|sharedAgents|resultsWithoutPlan/.test(
      statistic,
    )
  return isPlain ? '' : unit
}

function nameOf(point: Point, splits: readonly string[], names: ReadonlyMap<string, string>): string {
  const metric = names.size > 1 ? [names.get(textOf(point['metric'])) ?? ''] : []
  if (point['other'] === true) return [...metric, 'all others'].join(', ')
  return [...metric, ...splits.map((id) => textOf(point[id]))].join(', ')
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? 'no value' : typeof value === 'string' ? value : JSON.stringify(value)

function drawnPoint(point: Point, statistic: string): DrawnPoint {
  const value = numberAt(point, statistic)
  const [low, high] = intervalOf(point, statistic, value)
  return {
    label: textOf(point['dtime'] ?? point['aggregatedNumber'] ?? ''),
    value,
    low,
    high,
    results: numberAt(point, 'sampleCount'),
    agents: numberAt(point, 'agentCount'),
    isPartial: point['partial'] === true,
    caution: listOf(point['caution']).map(String),
  }
}

/** Returns the number at a path such as `percentiles.95`. Only its first dot separates members. */
function numberAt(point: Point, path: string): number | null {
  const dot = path.indexOf('.')
  const value = dot === -1 ? point[path] : memberOf(point[path.slice(0, dot)], path.slice(dot + 1))
  return typeof value === 'number' ? value : null
}

/** The 95 % interval of a statistic, if the point has one. */
function intervalOf(point: Point, statistic: string, value: number | null): readonly [number | null, number | null] {
  if (value === null) return [null, null]
  if (statistic === 'metricValue') {
    const half = numberAt(point, 'ci95')
    return half === null ? [null, null] : [value - half, value + half]
  }
  if (statistic === 'reachingShare') return [numberAt(point, 'reachingLow'), numberAt(point, 'reachingHigh')]
  const [, level] = /^percentiles\.(.+)$/.exec(statistic) ?? (statistic === 'median' ? ['', '50'] : [])
  const [low, high] = level === undefined ? [] : listOf(memberOf(point['percentileIntervals'], level))
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : [null, null]
}
