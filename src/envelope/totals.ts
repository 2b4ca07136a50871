import { pointsSet, seriesKeys, statementKeys } from '../compile/metric/answer/answer-statement.ts'
import { totalSets, type TotalSet } from '../check/metric/series/totals.ts'
import { sourceOf } from '../compile/metric/answer/totals.ts'
import type { MetricPlan } from '../compile/metric/metric-plan.ts'
import { metricSeries, type MetricSeries } from './metric-points.ts'

type Row = readonly unknown[]
type Points = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

export type ShownTotals = Readonly<Record<TotalSet, readonly MetricSeries[]>>

type Asked = Pick<MetricPlan, 'each' | 'splits' | 'totals' | 'totalPlans' | 'aggregation'>

/** Separates the points of a response from its totals. `levels` are the keys of `percentiles`. */
export function separateTotals<Found extends Points>(
  asked: Asked,
  found: Found,
  levels: readonly string[],
): { readonly points: Found; readonly totals?: ShownTotals } {
  if (asked.totals !== true) return { points: found }
  const isMarked = statementKeys(asked).length > seriesKeys(asked).length
  const columns = isMarked ? found.columns.slice(1) : found.columns
  const bySet = isMarked ? Map.groupBy(found.rows, ([set]) => set) : new Map<unknown, Row[]>()
  const rowsOf = (set: string): readonly Row[] =>
    isMarked ? (bySet.get(set) ?? []).map((row) => row.slice(1)) : found.rows
  const shown = (set: TotalSet): readonly MetricSeries[] => {
    const isShown = shownColumn(asked, set, columns)
    const keys = set === 'overall' ? seriesKeys(asked) : seriesKeys({ ...asked, splits: [] })
    const rows = rowsOf(sourceOf(set, asked)).map((row) => row.filter((_, index) => isShown(index)))
    return metricSeries(
      keys,
      columns.filter((_, index) => isShown(index)),
      rows,
      levels,
    )
  }
  const [totals, overall, grand] = totalSets
  return {
    points: { ...found, columns, rows: rowsOf(pointsSet) },
    totals: { totals: shown(totals), overall: shown(overall), grand: shown(grand) },
  }
}

const ofBuckets = new Set(['dtime', 'aggregatedNumber', 'partial'])

/** A total over all splits has no columns of splits, and a total over the whole range has no columns of a bucket. */
function shownColumn(asked: Asked, set: TotalSet, columns: readonly string[]): (index: number) => boolean {
  const keys = seriesKeys(asked)
  const firstSplit = keys.length - asked.splits.length
  return (index) => {
    if (index >= firstSplit && index < keys.length) return set === 'overall'
    return index < keys.length || set === 'totals' || !ofBuckets.has(columns[index] ?? '')
  }
}
