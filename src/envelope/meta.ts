import type { AuditRange } from '../base/audit.ts'
import type { MetricDefinition } from '../catalog/define-metric.ts'
import type { Inclusion } from '../catalog/point-fields.ts'
import type { DimensionSource } from '../catalog/dimensions.ts'
import type { LocalWindow } from '../catalog/local-window.ts'
import type { PrefilterRule } from '../catalog/prefilter-rule.ts'
import { leavesOf, type FilterTree } from '../check/metric/filters/filter-tree.ts'
import { resolvedBaseFilters, type PlannedCompare } from '../compile/metric/comparison/planned-compare.ts'
import { localRange } from '../compile/metric/metric-plan.ts'
import type { AgentPoints, PerAgent, Threshold } from '../check/metric/per-agent.ts'
import type { ShownTotals } from './totals.ts'
import { selectionFields, type PointSelection } from '../check/metric/point-selection.ts'

/** The fields of a planned request that `meta` shows. */
type Shown = {
  readonly metric: MetricDefinition
  readonly each?: readonly { readonly metric: MetricDefinition }[]
  readonly range: Pick<AuditRange, 'from' | 'to'>
  readonly panels: readonly number[]
  readonly include: readonly Inclusion[]
  readonly wholePeriods?: true
  readonly relativeTo?: 'plan'
  readonly window?: LocalWindow
  readonly asked?: Readonly<Record<string, unknown>>
  readonly splits: readonly Sourced[]
  readonly filters: readonly FilterTree<{ readonly kind: 'leaf'; readonly dimension: Sourced }>[]
  readonly compare?: PlannedCompare
} & AgentPoints &
  PointSelection

/** What is known only after the query. */
type Found = {
  /** Present if the response has comparisons. */
  readonly comparisons?: { readonly number: number }
  /** The number of points before and after `having` and `limit`. */
  readonly points?: { readonly computed: number; readonly shown: number }
  /** Present if the request has totals. */
  readonly totals?: ShownTotals
  /** The cursor of the next page. Present if the request has `limit`. */
  readonly next?: string | null
}

type Sourced = { readonly source: DimensionSource }

const aboutComparisons =
  'low, high, ratioLow and ratioHigh are the bounds of 1 − alpha intervals of single comparisons, and are not adjusted for the number of comparisons. verdict and better use pAdjusted.'

const definitionOfCoverage =
  'An agent is expected from its first to its last local day with a sample in this series and range, in each block of the schedule of the test that has hours inside the window, and inside the hours of the series. An agent that stopped is gone, not missing. Whole days count, also if the range contains a day only in part.'

type ShownMetric = Pick<MetricDefinition, 'key' | 'name' | 'unit' | 'description'>

/** The member `meta` of a response: information about all of its points together. */
export type Meta = {
  readonly metric?: ShownMetric
  /** Instead of `metric`, if the request has `metrics`; with the rules of the prefilter if the request includes them. */
  readonly metrics?: readonly (ShownMetric & Pick<Meta, 'prefilter'>)[]
  /** The local time range that was used, after `wholePeriods` has narrowed it. Both ends are included. */
  readonly time: { readonly from: string; readonly to: string }
  readonly wholePeriods?: true
  /** The request with the fields of its preset. */
  readonly request?: Readonly<Record<string, unknown>>
  /** Present if values are percentages of the speed of the agent's package. */
  readonly relativeTo?: 'plan'
  /** The hours of the week that the response is restricted to, by the local clock of each agent. */
  readonly window?: ShownWindow
  /** The hours of the week that are `peak`, if the request splits or filters by it. */
  readonly peak?: ShownWindow
  /** The number of panels. */
  readonly panels: number
  /** Present if the points are about agents and not about results. */
  readonly about?: 'agents'
  /** As in the request, with the defaults. */
  readonly perAgent?: Readonly<Record<string, unknown>>
  readonly reaching?: Readonly<Record<string, unknown>>
  /** The rules of the prefilter. */
  readonly prefilter?: readonly Pick<PrefilterRule, 'name' | 'reason' | 'version'>[]
  /** What the coverage of a point means. */
  readonly coverage?: string
  readonly comparisons?: ShownComparisons
  /** The points over all splits, those over the whole range, and those over both. */
  readonly totals?: ShownTotals['totals']
  readonly overall?: ShownTotals['overall']
  readonly grand?: ShownTotals['grand']
  /** The number of points before and after `having` and `limit`. Present if the request selects or orders points. */
  readonly points?: { readonly computed: number; readonly shown: number }
} & Partial<PageMeta>

/** The cursor of the next page; null if there is none. Present if the request has `limit`. */
export type PageMeta = { readonly next: string | null }

/** A header with the cursor, for formats that have no place for `meta`. */
export const nextHeader = (next: string | null | undefined): Record<string, string> =>
  typeof next === 'string' ? { 'broadgauge-next': next } : {}

type ShownComparisons = {
  /** The number of comparisons with a p-value. */
  readonly number: number
  readonly adjustment: 'holm'
  readonly alpha: number
  /** The local time range of the base, if the request compares periods. */
  readonly time?: { readonly from: string; readonly to: string }
  /** What the intervals of a comparison mean. */
  readonly intervals: string
}

/** Returns undefined unless the request asks for `meta`, or has a field whose effect `meta` shows. */
export function metaOf(asked: Shown, { comparisons, points, totals, next }: Found = {}): Meta | undefined {
  const { range, panels, include, wholePeriods, relativeTo, window, perAgent, compare, asked: request } = asked
  const leaves = leavesOf([...asked.filters, ...resolvedBaseFilters(compare)])
  const peak = peakOf([...asked.splits, ...leaves.map(({ dimension }) => dimension)])
  const fills = include.some((one) => one !== 'uncertainty')
  const selects = selectionFields.some((name) => asked[name] !== undefined)
  const fields = [wholePeriods, relativeTo, window, peak, perAgent, compare, request, totals, selects || undefined]
  if (!fills && fields.every((one) => one === undefined)) return undefined
  return {
    ...aboutMetrics(asked),
    time: shownRange(range),
    ...(wholePeriods === undefined ? {} : { wholePeriods }),
    ...(request === undefined ? {} : { request }),
    ...(relativeTo === undefined ? {} : { relativeTo }),
    ...(window === undefined ? {} : { window: shownWindow(window) }),
    ...(peak === undefined ? {} : { peak: shownWindow(peak) }),
    panels: panels.length,
    ...aboutAgents(asked),
    ...(asked.each === undefined ? shownRules(asked.metric, include) : {}),
    ...(include.includes('coverage') ? { coverage: definitionOfCoverage } : {}),
    ...(compare === undefined || comparisons === undefined ? {} : { comparisons: shownCompare(compare, comparisons) }),
    ...(selects && points !== undefined ? { points } : {}),
    ...totals,
    ...(next === undefined ? {} : { next }),
  }
}

function aboutMetrics({ metric, each, include, perAgent }: Shown): Pick<Meta, 'metric' | 'metrics'> {
  const shown = ({ key, name, unit, description }: MetricDefinition): ShownMetric => ({
    key,
    name,
    unit: perAgent?.statistic === 'share' ? '%' : unit,
    description,
  })
  return each === undefined
    ? { metric: shown(metric) }
    : { metrics: each.map((one) => ({ ...shown(one.metric), ...shownRules(one.metric, include) })) }
}

const shownRules = ({ prefilter }: MetricDefinition, include: readonly Inclusion[]): Pick<Meta, 'prefilter'> =>
  include.includes('prefilter') ? { prefilter: prefilter.map(shownRule) } : {}

function shownCompare({ base, alpha }: PlannedCompare, { number }: { readonly number: number }): ShownComparisons {
  const time = base.kind === 'time' ? { time: shownRange(localRange(base.range)) } : {}
  return { number, adjustment: 'holm', alpha, ...time, intervals: aboutComparisons }
}

const shownRange = ({ from, to }: Pick<AuditRange, 'from' | 'to'>): Meta['time'] => ({ from, to })

/** The two lists of a window. A missing list stands for every day of the week, or every hour. */
type ShownWindow = { readonly weekdays?: readonly number[]; readonly hours?: readonly number[] }

const shownWindow = ({ weekdays, hours }: LocalWindow): ShownWindow => ({
  ...(weekdays === null ? {} : { weekdays }),
  ...(hours === null ? {} : { hours }),
})

const peakOf = (dimensions: readonly Sourced[]): LocalWindow | undefined =>
  dimensions.flatMap(({ source }) => (source.kind === 'clock' && source.element === 'peak' ? [source.window] : []))[0]

const asAsked = ({ is, value }: Threshold): Readonly<Record<string, unknown>> => ({ [is]: value })

function aboutAgents({ perAgent, reaching }: AgentPoints): Pick<Meta, 'about' | 'perAgent' | 'reaching'> {
  if (perAgent === undefined) return {}
  return {
    about: 'agents',
    perAgent: shownStatistic(perAgent),
    ...(reaching === undefined ? {} : { reaching: asAsked(reaching) }),
  }
}

function shownStatistic(perAgent: PerAgent): Readonly<Record<string, unknown>> {
  if (perAgent.statistic !== 'share') return { ...perAgent }
  const { threshold, ...rest } = perAgent
  return { ...rest, ...asAsked(threshold) }
}

const shownRule = ({ name, reason, version }: PrefilterRule): Pick<PrefilterRule, 'name' | 'reason' | 'version'> => ({
  name,
  reason,
  version,
})
