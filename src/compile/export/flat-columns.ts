import { comparisonMembers } from '../../catalog/point-fields.ts'
import { isShownAsNumber } from '../../catalog/dimensions.ts'
import { metricColumn } from '../metric/answer/answer-statement.ts'
import { percentileKeys } from '../metric/distribution/percentile-levels.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'

/**
 * What the values of a column are. `text` is text from outside, `label` text of the service, `time` a local time without a zone,
 * and `count` a whole number.
 */
export type FlatKind = 'number' | 'count' | 'text' | 'label' | 'time' | 'flag' | 'list'

/** A column of points in a format without nested values. */
export type FlatColumn = {
  readonly id: string
  readonly kind: FlatKind
  /** The position of the value in a row of the statement. */
  readonly index: number
  /** If the value is a list or an object: the position or the name of its member that this column contains. */
  readonly member?: number | string
  /** True if an empty list is shown as null. */
  readonly isNullIfEmpty?: true
}

/**
 * The columns of points in files, and in responses that are not JSON: the statistics, the metric if the request has `metrics`,
 * the splits, and the columns that qualify a point. `columns` are the columns of the statement. The members of nested values get
 * a column each, named after both.
 */
export function flatColumns(
  plan: Pick<MetricPlan, 'splits' | 'percentileLevels' | 'each'>,
  columns: readonly string[],
): readonly FlatColumn[] {
  const metric: readonly FlatColumn[] = plan.each === undefined ? [] : [{ id: metricColumn, kind: 'label', index: 0 }]
  const splits = plan.splits.map(({ id, source }, index): FlatColumn => {
    return { id, kind: isShownAsNumber(source) ? 'count' : 'text', index: metric.length + index }
  })
  const levels = percentileKeys(plan)
  const own = columns
    .entries()
    .toArray()
    .slice(metric.length + splits.length)
  const columnsOf = ([index, name]: [number, string]) => columnsOfName(name, index, levels)
  return [
    ...own.filter(([, name]) => !lastColumns.includes(name)).flatMap(columnsOf),
    ...metric,
    ...splits,
    ...lastColumns.flatMap((last) => own.filter(([, name]) => name === last).flatMap(columnsOf)),
  ]
}

/** The columns that qualify a point are after the splits, so that the columns before them keep their places. */
const lastColumns = ['resultsWithoutPlan', 'other', 'partial', 'caution']

function columnsOfName(name: string, index: number, levels: readonly string[]): FlatColumn[] {
  if (name === 'percentiles') {
    return levels.map((key, member) => ({ id: `percentile_${key}`, kind: 'number', index, member }))
  }
  if (name === 'percentileIntervals') {
    return levels.map((key, member) => ({ id: `${name}_${key}`, kind: 'list', index, member, isNullIfEmpty: true }))
  }
  if (name === 'comparison') {
    return comparisonMembers.map((member) => ({
      id: `${name}_${member}`,
      kind: kinds[member] ?? 'number',
      index,
      member,
    }))
  }
  const kind = kinds[name] ?? 'number'
  return [{ id: name, kind, index, ...(emptyLists.has(name) ? { isNullIfEmpty: true } : {}) }]
}

/** Lists whose absence means that there is nothing to list. */
const emptyLists = new Set(['caution', 'prefilter_rules'])

/** The kinds of the columns that are not numbers, and of whole numbers. */
const kinds: Readonly<Record<string, FlatKind>> = {
  dtime: 'time',
  aggregatedNumber: 'count',
  sampleCount: 'count',
  agentCount: 'count',
  unitCount: 'count',
  agentsBelowMinimum: 'count',
  histogram_edges: 'list',
  histogram_counts: 'list',
  histogram_below: 'count',
  histogram_above: 'count',
  prefilter_before: 'count',
  prefilter_removed: 'count',
  prefilter_agentsLost: 'count',
  prefilter_rules: 'list',
  coverage_agentsOfRange: 'count',
  coverage_agentsSeen: 'count',
  coverage_agentsGone: 'count',
  coverage_blocksSeen: 'count',
  coverage_blocksExpected: 'count',
  coverage_newestStored: 'label',
  resultsWithoutPlan: 'count',
  verdict: 'label',
  better: 'flag',
  other: 'flag',
  partial: 'flag',
  caution: 'list',
}
